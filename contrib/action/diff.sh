#!/usr/bin/env bash
# Records $PROGRAM of commit $BASE and of the folder it is called in, $RUNS times each in turn, and
# comments on pull request $NUMBER with the difference. Ends with the status of waymark diff.
set -euo pipefail

work=$(mktemp -d)
trap 'git worktree remove --force "$work/base" 2>/dev/null || true; rm -rf "$work"' EXIT
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$BASE"
git worktree add --quiet --detach "$work/base" "$BASE"
prefix=$(git rev-parse --show-prefix)

(cd "$work/base/$prefix" && waymark build -o "$work/old" "$PROGRAM")
waymark build -o "$work/new" "$PROGRAM"
for ((i = 1; i <= RUNS; i++)); do
	(cd "$work/base/$prefix" && waymark record -o "$work/old$i.wmt" "$work/old" $ARGS >/dev/null)
	waymark record -o "$work/new$i.wmt" "$work/new" $ARGS >/dev/null
done

marker='<!-- waymark diff -->'
status=0
waymark diff --format markdown ${FAIL_OVER:+--fail-over "$FAIL_OVER"} "$work"/old*.wmt -- "$work"/new*.wmt >"$work/table" || status=$?
{
	echo "$marker"
	cat "$work/table"
} >"$work/comment"
cat "$work/table" >>"$GITHUB_STEP_SUMMARY"

# One comment, which each push writes anew. Pull requests from forks have no token that may do so.
comment() {
	local of=repos/$GITHUB_REPOSITORY/issues id
	id=$(gh api --paginate "$of/$NUMBER/comments" --jq ".[] | select(.body | startswith(\"$marker\")) | .id") || return
	id=${id%%$'\n'*}
	if [ -n "$id" ]; then
		gh api --method PATCH "$of/comments/$id" -F body=@"$work/comment" >/dev/null
	else
		gh api --method POST "$of/$NUMBER/comments" -F body=@"$work/comment" >/dev/null
	fi
}
comment || echo "::notice::waymark could not comment on the pull request: the table is in the job's summary"
exit $status
