import { readFileSync } from 'node:fs';
import { projectCondition } from '../compiler/add-source-ctes.js';
import type { EndpointFolder } from '../endpoint/catalog.js';
import { packagePath } from '../process/package-paths.js';
import type { SourceSchema } from '../types/schema.js';
import { shippedSources } from './source-files.js';

/** The maximum number of sources with endpoints. */
const maxSources = 200;

/** Returns an endpoint for each source that is not shipped, `logs.<source>`: its newest records. */
export function sourceEndpoints(
  sources: readonly SourceSchema[],
  preset: string | undefined,
): EndpointFolder {
  const shipped = new Set(shippedSources(preset).map(({ name }) => name.toLowerCase()));
  const template = readFileSync(packagePath('sql/endpoints/logs.source.template'), 'utf8');
  const own = sources.filter(({ name }) => !shipped.has(name.toLowerCase()));
  const endpoints = own.slice(0, maxSources).map(({ name, projectPath = ['project'] }) => {
    const sql = template
      .replaceAll('{source}', () => name)
      .replace('{is of project}', () => projectCondition(projectPath));
    // logs.all already exists: it has the tables of all sources.
    return [`logs.${name === 'all' ? 'all_' : name}.sql`, sql] as const;
  });
  return { where: 'the sources', endpoints: new Map(endpoints) };
}
