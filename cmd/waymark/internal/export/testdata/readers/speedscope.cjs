// Checks a file against the schema that speedscope publishes.
const fs = require("fs");
const path = require("path");
const Ajv = require("ajv");

const release = path.join(path.dirname(require.resolve("speedscope/package.json")), "dist", "release");
const schema = JSON.parse(fs.readFileSync(path.join(release, "file-format-schema.json")));
const valid = new Ajv({ strict: false, allErrors: true }).compile(schema);
if (!valid(JSON.parse(fs.readFileSync(process.argv[2])))) {
  console.error(valid.errors.slice(0, 10));
  process.exit(1);
}
