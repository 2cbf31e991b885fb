import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { SQLDialect } from '@codemirror/lang-sql';
import { StreamLanguage, syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { reservedWords, typeNames } from '../../compiler/syntax/words.js';
import type { SourceField, TopValue } from '../app/top-values.js';
import { completeLql } from '../model/complete-lql.js';
import {
  completeSql,
  type Suggestion,
  type Suggestions,
  type Vocabulary,
} from '../model/complete-sql.js';
import { type ValuePlace, valuePlaceInLql, valuePlaceInSql } from '../model/value-place.js';

/** GoogleSQL, with the service's keywords, types and functions. */
export function sqlLanguage({ functions }: Vocabulary): Extension {
  const names = functions.map(({ name }) => name.toLowerCase());
  return SQLDialect.define({
    keywords: [...reservedWords, 'limit', 'offset', 'having', 'qualify'].join(' ').toLowerCase(),
    types: Object.keys(typeNames).join(' ').toLowerCase(),
    builtin: names.join(' '),
    backslashEscapes: true,
    hashComments: true,
    doubleQuotedStrings: true,
    identifierQuotes: '`',
    specialVar: '@',
    caseInsensitiveIdentifiers: true,
  }).extension;
}

/** LQL: keywords before a colon, quoted texts and numbers. */
export const lqlLanguage: Extension = StreamLanguage.define({
  name: 'lql',
  token: (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/(?:f|from|s|select|c|chart|t|timestamp)(?=:)/)) return 'keyword';
    if (stream.match(/[\p{L}_][\p{L}\p{N}_.-]*(?=:)/u)) return 'typeName';
    if (stream.match(/\d[\d.]*(?=\s|$|\.\.)/)) return 'number';
    if (stream.match(/[\p{L}\p{N}_]+/u)) return null;
    stream.next();
    return null;
  },
});

/** Reads the most frequent values of a field. */
export type ReadValues = (field: SourceField, signal: AbortSignal) => Promise<readonly TopValue[]>;

/** Completes SQL. */
export function sqlCompletion(vocabulary: Vocabulary, read: ReadValues): Extension {
  const place = (text: string, at: number) => valuePlaceInSql(text, at, vocabulary.tables);
  const suggest = (text: string, at: number) => completeSql(text, at, vocabulary);
  return completionOf({ suggest, validFor: /^[\p{L}\p{N}_.]*$/u, place, read });
}

/** Completes LQL. */
export function lqlCompletion({ tables }: Vocabulary, read: ReadValues): Extension {
  const place = (text: string, at: number) => valuePlaceInLql(text, at, tables);
  const suggest = (text: string, at: number) => completeLql(text, at, tables);
  return completionOf({ suggest, validFor: /^[\p{L}\p{N}_.:@]*$/u, place, read });
}

interface Completing {
  readonly suggest: (text: string, at: number) => Suggestions;
  readonly validFor: RegExp;
  readonly place: (text: string, at: number) => ValuePlace | undefined;
  readonly read: ReadValues;
}

function completionOf({ suggest, validFor, place, read }: Completing): Extension {
  const values = async (context: CompletionContext): Promise<CompletionResult | null> => {
    if (!context.explicit && !context.view?.hasFocus) return null;
    const found = place(context.state.doc.toString(), context.pos);
    if (found === undefined) return null;
    const reading = new AbortController();
    context.addEventListener('abort', () => reading.abort());
    const tops = await read(found, reading.signal).catch(() => []);
    const options = tops.flatMap(({ value, records }, index) =>
      value === null
        ? []
        : [
            {
              apply: applyValue,
              label: found.print(value),
              detail: records.toLocaleString('en'),
              boost: 50 - index,
            },
          ],
    );
    return { from: found.from, validFor: /^["'\p{L}\p{N}_/.-]*$/u, options };
  };
  const source = (context: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1).name;
    if (/Comment|String/i.test(node)) return null;
    // The editor closes an open list when it loses the focus, but not one that is about to open.
    if (!context.explicit && !context.view?.hasFocus) return null;
    const { from, options } = suggest(context.state.doc.toString(), context.pos);
    const word = context.state.sliceDoc(from, context.pos);
    const isWhole =
      word === '' || options.some(({ label, kind }) => label === word && kind !== 'function');
    if (isWhole && !context.explicit) return null;
    return { from, validFor, options: options.map(completionOption) };
  };
  return autocompletion({ override: [values, source], maxRenderedOptions: 60, icons: false });
}

/** Inserts a value, and replaces the quote that the editor has closed. */
function applyValue(view: EditorView, { label }: Completion, from: number, to: number): void {
  const isClosed = /["']$/.test(label) && view.state.sliceDoc(to, to + 1) === label.at(-1);
  const changes = { from, to: isClosed ? to + 1 : to, insert: label };
  view.dispatch({ changes, selection: { anchor: from + label.length } });
}

const boosts = { table: 5, column: 4, path: 2, function: 0, keyword: -1 } as const;

function completionOption(suggestion: Suggestion): Completion {
  const { label, kind, detail, info } = suggestion;
  return {
    label,
    boost: boosts[kind],
    ...(detail && { detail }),
    ...(info && { info }),
    apply: (view, _completion, from, to) => apply(view, suggestion, { from, to }),
  };
}

/** Inserts a suggestion with the joins that it needs. */
function apply(
  view: EditorView,
  { label, insert = label, kind, joins }: Suggestion,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const word = { from, to, insert };
  const isBefore = joins !== undefined && joins.at < from;
  const ahead = isBefore ? joins.text.length : 0;
  const inBrackets = kind === 'function' ? 1 : 0;
  view.dispatch({
    changes: joins && joins.text !== '' ? [word, { from: joins.at, insert: joins.text }] : word,
    selection: { anchor: from + ahead + insert.length - inBrackets },
    userEvent: 'input.complete',
    scrollIntoView: true,
  });
}
