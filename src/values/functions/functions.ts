import { castNumberFunctions } from './cast-number.js';
import { castTimeFunctions } from './cast-time.js';
import { domainFunctions } from './domains.js';
import { formatScriptFunctions } from './format-row.js';
import { hashFunctions } from './hashes.js';
import { jsonEditScriptFunctions } from './json-edit.js';
import { jsonValueFunctions } from './json-values.js';
import { normalizeFunctions } from './normalize.js';
import type { ScriptFunction } from './script-function.js';
import { searchScriptFunctions } from './search.js';
import { statisticFunctions } from './statistics.js';

/** All functions in JavaScript; each is on the allow-list of statement verification. */
export const scriptFunctions: readonly ScriptFunction[] = [
  ...castNumberFunctions,
  ...castTimeFunctions,
  ...domainFunctions,
  ...formatScriptFunctions,
  ...hashFunctions,
  ...jsonEditScriptFunctions,
  ...jsonValueFunctions,
  ...normalizeFunctions,
  ...searchScriptFunctions,
  ...statisticFunctions,
];
