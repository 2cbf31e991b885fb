// Bundles the programs, the module `log-endpoints/testing` and the explorer's page into dist/, which is what the
// package ships.
// A bundle starts in half the time of its modules. `npm run build` runs this after tsc, which writes build/.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @type {{ readonly dependencies: Readonly<Record<string, string>>, readonly peerDependencies: Readonly<Record<string, string>> }} */
const { dependencies, peerDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    child: 'src/child.ts',
    testing: 'src/testing/testing.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: Object.keys({ ...dependencies, ...peerDependencies }),
  // The CommonJS packages in the bundle call `require` for the modules of Node.
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module';\nconst require = createRequireOfBundle(import.meta.url);",
  },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

const explorer = await build({
  absWorkingDir: root,
  entryPoints: { explorer: 'src/explorer/main.ts', 'explorer-style': 'src/explorer/explorer.css' },
  outdir: 'dist/explorer',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome114', 'firefox115', 'safari16.4'],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
for (const name of ['index.html', 'icon.svg']) {
  copyFileSync(`${root}src/explorer/${name}`, `${root}dist/explorer/${name}`);
}

removeOldScripts(`${root}dist`, metafile.outputs);
removeOldScripts(`${root}dist/explorer`, explorer.metafile.outputs);

const inputs = [metafile, explorer.metafile].flatMap((one) => Object.keys(one.inputs));
copyFileSync(`${root}build/testing/testing.d.ts`, `${root}dist/testing.d.ts`);
writeFileSync(`${root}dist/LICENSES.txt`, readLicenses(packagesIn(inputs)));

/**
 * Removes the scripts of earlier builds; the macros are removed by their own build.
 * @param {string} folder @param {Readonly<Record<string, unknown>>} outputs
 */
function removeOldScripts(folder, outputs) {
  const written = Object.keys(outputs).map((path) => basename(path));
  const old = readdirSync(folder).filter((name) => name.endsWith('.js') && !written.includes(name));
  for (const name of old) rmSync(`${folder}/${name}`);
}

/** The packages that the bundle contains, such as `node_modules/hono`. @param {readonly string[]} inputs */
function packagesIn(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/** Most licences must travel with copies of the code. @param {readonly string[]} folders */
function readLicenses(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(`${root}${folder}/package.json`, 'utf8'),
    );
    const file = readdirSync(root + folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${folder} has no license file`);
    return `${name} ${version} (${license})\n\n${readFileSync(`${root}${folder}/${file}`, 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
