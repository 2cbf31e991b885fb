import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmInstall, pipInstall, type Tool } from '../install-tool.js';

/** An emulator of BigQuery's REST API. */
export interface Emulator extends Tool {
  readonly name: EmulatorName;
  /** The command that starts it on that port of the loopback interface. */
  readonly command: (folder: string, port: number) => readonly string[];
}

export type EmulatorName = 'bqemulator' | 'bigquery-local';

export const emulators: readonly Emulator[] = [
  {
    // MIT; SQLGlot, here in its compiled form, translates GoogleSQL for DuckDB.
    name: 'bqemulator',
    version: '1.4.0',
    folder: 'emulator-bqemulator-1.4.0',
    install: (folder) =>
      pipInstall(folder, 'bqemulator==1.4.0', 'duckdb==1.5.6', 'numpy', 'sqlglot[c]'),
    command: (folder, port) => [
      join(folder, 'bin/python'),
      launcher('start-bqemulator.py'),
      ...['start', '--rest-host', '127.0.0.1', '--rest-port', String(port)],
      ...['--grpc-host', '127.0.0.1', '--grpc-port', '0', '--log-level', 'error'],
    ],
  },
  {
    // MIT; its own translation of GoogleSQL for DuckDB. It needs Node 24.
    name: 'bigquery-local',
    version: '0.7.1',
    folder: 'emulator-bigquery-local-0.7.1',
    install: (folder) => npmInstall(folder, 'bigquery-local@0.7.1', 'node@24'),
    command: (folder, port) => [
      join(folder, 'node_modules/.bin/node'),
      launcher('start-bigquery-local.mjs'),
      ...[join(folder, 'node_modules'), String(port)],
    ],
  },
];

function launcher(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
