import { autocompletion, type Completion, type CompletionSource } from '@codemirror/autocomplete';
import { SQLDialect } from '@codemirror/lang-sql';
import { StreamLanguage, syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { reservedWords, typeNames } from '../../compiler/syntax/words.js';
import type { TopValue } from '../app/top-values.js';
import { completeLql } from '../model/complete-lql.js';
import {
  completeSql,
  completionEdits,
  type Suggestion,
  type Suggestions,
  type Vocabulary,
} from '../model/complete-sql.js';
import type { SourceField } from '../model/record-paths.js';
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

/** LQL: keywords before a colon, quoted strings and numbers. */
export const lqlLanguage: Extension = StreamLanguage.define({
  name: 'lql',
  token: (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/(?:f|from|s|select|c|chart|t|timestamp)(?=:)/)) return 'keyword';
    if (stream.match(/[\p{L}_][\p{L}\p{N}_.-]*(?=:)/u)) return 'typeName';
    if (stream.match(/\d[\d.]*(?=\s|$|\.\.)/)) return 'number';
    stream.match(/[\p{L}\p{N}_]+|./u);
    return null;
  },
});

/** Reads the most frequent values of a field. */
export type ReadValues = (field: SourceField, signal: AbortSignal) => Promise<readonly TopValue[]>;

const languages = {
  sql: { findPlace: valuePlaceInSql, suggest: completeSql, validFor: /^[\p{L}\p{N}_]*$/u },
  lql: { findPlace: valuePlaceInLql, suggest: completeLql, validFor: /^[\p{L}\p{N}_:@]*$/u },
};

/** Completes values and words. No list opens after the editor has lost the focus. */
export function completion(
  language: keyof typeof languages,
  vocabulary: Vocabulary,
  read: ReadValues,
): Extension {
  const { findPlace, suggest, validFor } = languages[language];
  const values = completeValues((text, at) => findPlace(text, at, vocabulary.tables), read);
  const words = completeWords((text, at) => suggest(text, at, vocabulary), validFor);
  const override = [values, words].map(
    (source): CompletionSource =>
      (context) =>
        context.explicit || context.view?.hasFocus ? source(context) : null,
  );
  return autocompletion({ override, maxRenderedOptions: 60, icons: false });
}

function completeValues(
  place: (text: string, at: number) => ValuePlace | undefined,
  read: ReadValues,
): CompletionSource {
  return async (context) => {
    const found = place(context.state.doc.toString(), context.pos);
    if (found === undefined) return null;
    const reading = new AbortController();
    context.addEventListener('abort', () => reading.abort());
    const tops = await read(found, reading.signal).catch(() => []);
    const options = tops
      .filter(({ value }) => value !== null)
      .map(({ value, records }, index) => ({
        apply: applyValue,
        label: found.print(value),
        detail: records.toLocaleString('en'),
        boost: 50 - index,
      }));
    return { from: found.from, validFor: /^["'\p{L}\p{N}_/.-]*$/u, options };
  };
}

function completeWords(
  suggest: (text: string, at: number) => Suggestions,
  validFor: RegExp,
): CompletionSource {
  return (context) => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1).name;
    if (/Comment|String/i.test(node)) return null;
    const { from, options } = suggest(context.state.doc.toString(), context.pos);
    const word = context.state.sliceDoc(from, context.pos);
    const isWhole =
      word === '' || options.some(({ label, kind }) => label === word && kind !== 'function');
    if (isWhole && !context.explicit) return null;
    const found = options.map((option) => completionOption(option, context.pos));
    // A path is found by its last name first, until a dot is typed.
    const reversed = found.map((option) => {
      return { ...option, label: option.label.split('.').toReversed().join(' ') };
    });
    return { from, validFor, options: word.includes('.') ? found : reversed };
  };
}

/** Inserts a value, and replaces the quote that the editor has closed. */
function applyValue(view: EditorView, { label }: Completion, from: number, to: number): void {
  const isClosed = /["']$/.test(label) && view.state.sliceDoc(to, to + 1) === label.at(-1);
  const changes = { from, to: isClosed ? to + 1 : to, insert: label };
  view.dispatch({ changes, selection: { anchor: from + label.length } });
}

const boosts = { table: 5, column: 4, path: 2, function: 0, keyword: -1 } as const;

/** Creates an option that inserts a suggestion with the joins that it needs. */
function completionOption(suggestion: Suggestion, at: number): Completion {
  const { label, insert = label, kind } = suggestion;
  const apply = (view: EditorView, _completion: Completion, from: number, to: number) => {
    const changes = completionEdits(suggestion, { from, to }, at);
    const ahead = changes.find((edit) => edit.from < from)?.insert.length ?? 0;
    const inBrackets = kind === 'function' ? 1 : 0;
    view.dispatch({
      changes,
      selection: { anchor: from + ahead + insert.length - inBrackets },
      userEvent: 'input.complete',
      scrollIntoView: true,
    });
  };
  const boost = boosts[kind] - label.split('.').length / 10;
  return { ...suggestion, displayLabel: label, boost, apply };
}
