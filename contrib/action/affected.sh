#!/usr/bin/env bash
# Runs the tests that changes since $REVISION can reach, of $PACKAGES. A shallow clone may lack the
# revision, and a new branch has none before it: then the map alone decides.
set -euo pipefail

if ! git cat-file -e "$REVISION^{commit}" 2>/dev/null && ! git fetch --quiet --depth=1 origin "${REVISION#origin/}" 2>/dev/null; then
	echo "no revision $REVISION here: comparing with HEAD" >&2
	REVISION=HEAD
fi
if ! git cat-file -e "$REVISION^{commit}" 2>/dev/null; then
	REVISION=FETCH_HEAD # a branch, which a shallow clone has under this name only
fi
# Several patterns are words.
# shellcheck disable=SC2086
waymark test --affected "$REVISION" --explain $PACKAGES
