// Many has many functions, as many goroutines that wait as MANY says, and as many threads as THREADS says.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/bzip2"
	"compress/lzw"
	"crypto/tls"
	"database/sql"
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/asn1"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/format"
	"go/types"
	"html/template"
	"image/gif"
	"image/jpeg"
	"image/png"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/cgi"
	"net/http/fcgi"
	"net/http/httputil"
	"net/rpc"
	"net/smtp"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"time"
)

// kept are functions whose packages the linker is to keep.
var kept = []any{tar.NewReader, zip.NewReader, bzip2.NewReader, lzw.NewReader, tls.Dial, sql.Open, dwarf.New, elf.Open, macho.Open, pe.Open,
	asn1.Marshal, gob.NewEncoder, json.Marshal, xml.Marshal, format.Source, (*types.Config).Check, template.New, gif.DecodeAll, jpeg.Encode, png.Encode,
	slog.Info, (*big.Int).Exp, http.ListenAndServe, cgi.Serve, fcgi.Serve, httputil.NewSingleHostReverseProxy, rpc.Dial, smtp.Dial, regexp.Compile}

func main() {
	n, _ := strconv.Atoi(os.Getenv("MANY"))
	for range n {
		go func() { time.Sleep(time.Hour) }()
	}
	threads, _ := strconv.Atoi(os.Getenv("THREADS"))
	for range threads {
		go func() {
			runtime.LockOSThread()
			time.Sleep(time.Hour)
		}()
	}
	time.Sleep(time.Duration(n/100) * time.Millisecond / 10)
	fmt.Println("ready", os.Getpid(), len(kept))
	go func() {
		for {
			fmt.Fprint(discard{}, time.Now())
		}
	}()
	fmt.Scanln()
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
