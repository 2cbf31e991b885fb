// Packs what is published: the files of the package, and a package.json without what only a checkout needs.
// Usage: npm run package [-- FOLDER], which writes log-endpoints-VERSION.tgz to the folder, by default the current one.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const destination = resolve(process.argv[2] ?? '.');

/**
 * `npm pack` in a folder, without scripts: what there is to run has run before.
 * @param {string} folder
 * @param {readonly string[]} flags
 */
function pack(folder, flags) {
  return execFileSync('npm', ['pack', '--ignore-scripts', '--json', ...flags], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
}

const staging = mkdtempSync(join(tmpdir(), 'log-endpoints-pack-'));
try {
  const [{ files }] = JSON.parse(pack(root, ['--dry-run']));
  for (const { path } of files) cpSync(join(root, path), join(staging, path));
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const { scripts: _scripts, devDependencies: _tools, ...published } = JSON.parse(text);
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  const [{ filename }] = JSON.parse(pack(staging, ['--pack-destination', destination]));
  console.log(join(destination, filename));
} finally {
  rmSync(staging, { recursive: true });
}
