import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goBuild, npmInstall, pipInstall, type Tool } from '../install-tool.js';

/** An emulator of BigQuery's REST API. */
export interface Emulator extends Tool {
  readonly name: EmulatorName;
  /** The command that starts it on that port of the loopback interface. */
  readonly command: (folder: string, port: number) => readonly string[];
  /** Whether a statement writes the records: the API would lose a part of them. */
  readonly insertsByStatement?: true;
}

export type EmulatorName = 'bqemulator' | 'bigquery-local' | 'bigquery-emulator';

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
  {
    // MIT; Google's own parser of GoogleSQL, and SQLite to run what it says.
    name: 'bigquery-emulator',
    version: '0.6.6',
    folder: 'emulator-bigquery-emulator-0.6.6',
    installMinutes: 60,
    insertsByStatement: true,
    install: (folder) =>
      goBuild(folder, 'github.com/goccy/bigquery-emulator', '0.6.6', 'cmd/bigquery-emulator'),
    command: (folder, port) => [
      join(folder, 'bigquery-emulator'),
      ...['--host', '127.0.0.1', '--port', String(port), '--grpc-port', '0'],
      ...['--project', 'stand-in'],
    ],
  },
];

function launcher(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
