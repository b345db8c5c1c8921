// Compiles the sources in a ZIP file with the Python that the browser will run:
//   node compile.mjs SOURCES.zip COMPILED.zip.zlib
// The files in the ZIP file are not compressed: the browser inflates all of it faster than Python
// would inflate each module.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const [sources, compiled] = process.argv.slice(2);
const python = await loadPyodide();
python.FS.writeFile("/sources.zip", new Uint8Array(readFileSync(sources)));
python.runPython(`
import py_compile, zipfile
from pathlib import Path

with zipfile.ZipFile("/sources.zip") as archive:
    archive.extractall("/sources")
root = Path("/sources")
with zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_STORED) as archive:
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        name = path.relative_to(root)
        if path.suffix == ".py":
            # The name in tracebacks is that of the source; nothing checks whether it has changed.
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            made = py_compile.compile(path, "/compiled.pyc", str(name), True, invalidation_mode=mode)
            name, path = name.with_suffix(".pyc"), Path(made)
        archive.writestr(zipfile.ZipInfo(str(name)), path.read_bytes())
`);
writeFileSync(compiled, deflateSync(python.FS.readFile("/compiled.zip"), { level: 9 }));
