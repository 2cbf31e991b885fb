import { npmInstall, pipInstall, type Tool } from '../install-tool.js';

/** MIT; makes requests of an OpenAPI document, good and bad ones, and holds the answers against it. */
export const schemathesis: Tool = {
  name: 'schemathesis',
  version: '4.32.5',
  folder: 'tester-schemathesis-4.32.5',
  install: (folder) => pipInstall(folder, 'schemathesis==4.32.5'),
};

/** MIT; the tests that the makers of the Model Context Protocol have for servers. They need Node 22 or later. */
export const conformance: Tool = {
  name: '@modelcontextprotocol/conformance',
  version: '0.1.16',
  folder: 'tester-conformance-0.1.16',
  install: (folder) => npmInstall(folder, '@modelcontextprotocol/conformance@0.1.16', 'node@24'),
};

/** MIT; looks for mistakes in what a package exports. */
export const publint: Tool = {
  name: 'publint',
  version: '0.3.25',
  folder: 'tester-publint-0.3.25',
  install: (folder) => npmInstall(folder, 'publint@0.3.25'),
};

/** MIT; looks for mistakes in how TypeScript finds the types of a package. */
export const attw: Tool = {
  name: '@arethetypeswrong/cli',
  version: '0.18.5',
  folder: 'tester-attw-0.18.5',
  install: (folder) => npmInstall(folder, '@arethetypeswrong/cli@0.18.5'),
};

/** Apache and MIT; they read Arrow and Parquet: in C++, in Rust, and in Rust with Apache's own crates. */
export const readers: Tool = {
  name: 'pyarrow, polars and arro3',
  version: '26.0.1, 2.1.0, 0.9.1',
  folder: 'readers-pyarrow-26.0.1-polars-2.1.0-arro3-0.9.1',
  install: (folder) => pipInstall(folder, 'pyarrow==26.0.1', 'polars==2.1.0', 'arro3-io==0.9.1'),
};
