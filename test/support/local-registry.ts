import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { root } from './paths.js';

/** A registry of npm packages on this machine. */
export interface Registry {
  readonly url: string;
  readonly close: () => void;
}

/**
 * Starts a registry that has the installed packages of the checkout, each in its installed version: so npm
 * installs the packed project as it would from the public registry, but without a network.
 */
export async function startRegistry(): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    if (path.startsWith('-/tar/')) return sendTarball(path.slice('-/tar/'.length), response);
    sendManifest(path, response, `http://${request.headers.host}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function sendManifest(name: string, response: ServerResponse, url: string): void {
  const file = join(root, 'node_modules', name, 'package.json');
  if (!existsSync(file)) {
    response.writeHead(404).end('{}');
    return;
  }
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  const { version } = manifest;
  const dist = { tarball: `${url}/-/tar/${encodeURIComponent(name)}` };
  const versions = { [version]: { ...manifest, dist } };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
}

function sendTarball(name: string, response: ServerResponse): void {
  const folder = join(root, 'node_modules', name);
  const tar = spawn('tar', ['-C', folder, '--transform', 's,^\\.,package,', '-cf', '-', '.']);
  tar.stdout.pipe(response);
}
