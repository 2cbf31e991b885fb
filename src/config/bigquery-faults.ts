import { type Settings, toFlag } from './settings.js';
import type { Verb } from './verbs.js';

/** The settings of log files, which BigQuery does not read. */
const ofFiles = ['data', 'as', 'strict', 'watch', 'shiftToNow'] as const;

/** Returns a line for each conflict among the settings of BigQuery. */
export function bigQueryFaults(settings: Settings, verb: Verb): readonly string[] {
  const { engine, bigqueryTables: tables } = settings;
  if (verb === 'bigquery') return tableFaults('the verb bigquery', tables);
  if (engine !== 'bigquery') {
    return tables === undefined ? [] : ['--bigquery-tables needs --engine bigquery'];
  }
  const given = ofFiles.filter((name) => settings[name] !== undefined && settings[name] !== false);
  const reason = 'BigQuery reads no log files';
  return [
    ...(settings.paths ? [`log files and --engine bigquery exclude each other: ${reason}`] : []),
    ...given.map((name) => `--${toFlag(name)} and --engine bigquery exclude each other: ${reason}`),
    ...tableFaults('--engine bigquery', tables),
  ];
}

/** Checks names: projects may have dashes; datasets and tables must not have dots. */
function tableFaults(who: string, tables: string | undefined): readonly string[] {
  if (tables === undefined) {
    return [`${who} needs --bigquery-tables, such as project.dataset.{source}`];
  }
  const isTemplate = /^[a-z][a-z0-9-]*\.\w+\.[\w-]*\{source\}[\w-]*$/.test(tables);
  const must = 'must be project.dataset.table, with {source} in the name of the table';
  return isTemplate ? [] : [`--bigquery-tables ${must}`];
}
