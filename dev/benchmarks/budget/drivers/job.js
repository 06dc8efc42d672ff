// What scripts do: numbers, arrays, objects, strings, closures, regular expressions, JSON.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

function sieve(n) {
  var composite = [], primes = 0;
  for (var i = 2; i < n; i++) {
    if (composite[i]) continue;
    primes++;
    for (var j = i * i; j < n; j += i) composite[j] = true;
  }
  return primes;
}

class Queue {
  constructor() { this.items = []; this.taken = 0; }
  put(x) { this.items.push(x); return this; }
  take() { return this.items[this.taken++]; }
  get length() { return this.items.length - this.taken; }
}

function scheduler(n) {
  var q = new Queue(), done = 0;
  for (var i = 0; i < n; i++) q.put({ id: i, left: i % 7, name: "task " + i });
  while (q.length > 0) {
    var t = q.take();
    if (t.left-- > 0) q.put(t); else done += t.name.length;
  }
  return done;
}

function words(n) {
  var text = "", seen = new Map();
  for (var i = 0; i < n; i++) text += "w" + ((i * 7919) % 211) + (i % 5 ? " " : ", ");
  text.replace(/\w+/g, function (w) { seen.set(w, (seen.get(w) || 0) + 1); return w; });
  return Array.from(seen).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(e => e.join("=")).join().length;
}

function json(n) {
  var rows = [];
  for (var i = 0; i < n; i++) rows.push({ id: i, tags: ["a" + i % 3, "b" + i % 5], price: i * 1.25, ok: i % 2 == 0 });
  var back = JSON.parse(JSON.stringify(rows));
  return back.filter(r => r.ok).reduce((sum, r) => sum + r.price, 0);
}

var result = [];
for (var r = 0; r < rounds; r++) result = [fib(20), sieve(20000), scheduler(3000), words(4000), json(1500)];
result.join(" ");
