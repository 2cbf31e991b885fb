import { completionStatus } from '@codemirror/autocomplete';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { Compartment, type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { App, EndpointProps } from '../app/app.js';
import { shownSource } from '../app/app-state.js';
import { html } from '../app/html.js';
import { readTopValues } from '../app/top-values.js';
import { rangeAt } from '../model/mend.js';
import type { Language } from '../model/page-state.js';
import { completion, lqlLanguage, type ReadValues, sqlLanguage } from './languages.js';
import { editorTheme } from './theme.js';

interface Props extends EndpointProps {
  readonly language: Exclude<Language, 'stored'>;
}

/**
 * The editor. It lives in a shadow root, because CodeMirror adds its styles there through
 * `adoptedStyleSheets`, which the page's content security policy allows, and as a style element elsewhere,
 * which it does not.
 */
export function QueryEditor(props: Props): VNode {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<ReturnType<typeof createEditor> | undefined>(undefined);
  useLayoutEffect(() => {
    if (host.current === null) return;
    editor.current = createEditor(host.current, props.app);
    return () => editor.current?.view.destroy();
  }, []);
  useLayoutEffect(() => editor.current?.show(props));
  return html`<div class="editor" ref=${host}></div>`;
}

function createEditor(host: HTMLElement, app: App) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const mode = new Compartment();
  let shown: Props | undefined;
  const onUpdate = EditorView.updateListener.of(({ docChanged, state }) => {
    const status = completionStatus(state);
    const isCompleting = status === 'active';
    // While suggestions are pending, an open list stays open.
    const isChanged = status !== 'pending' && isCompleting !== app.store.get().isCompleting;
    if (isChanged) app.store.update({ isCompleting });
    const language = shown?.language;
    if (!docChanged || language === undefined) return;
    const text = state.doc.toString();
    if (text !== app.store.get().page[language]) app.change({ [language]: text });
  });
  const view = new EditorView({
    root,
    parent: root,
    extensions: [basicSetup, editorTheme, EditorView.lineWrapping, onUpdate, mode.of([])],
  });
  const show = (props: Props) => {
    const hasOtherFaults = props.state.faults !== shown?.state.faults;
    const isOther = props.language !== shown?.language || props.endpoint !== shown.endpoint;
    shown = props;
    const { length } = view.state.doc;
    const insert = props.state.page[props.language];
    if (view.state.doc.toString() !== insert)
      view.dispatch({ changes: { from: 0, to: length, insert } });
    if (isOther) view.dispatch({ effects: mode.reconfigure(editorMode(props)) });
    if (hasOtherFaults) view.dispatch(setDiagnostics(view.state, faultDiagnostics(props)));
  };
  return { view, show };
}

function editorMode({ app, state, language, endpoint }: Props): Extension {
  // Before FROM is written, the columns are those of the first table.
  const shown = shownSource(state, endpoint);
  const tables = endpoint.tables.toSorted((a, b) => Number(b === shown) - Number(a === shown));
  const vocabulary = { tables, functions: state.catalog?.functions ?? [] };
  const read: ReadValues = (field, signal) => readTopValues(app, field, 20, signal);
  const label = `Query in ${language.toUpperCase()}`;
  const example = language === 'sql' ? 'select … from …' : 'f:source field:value "text"';
  const attributes = EditorView.contentAttributes.of({ 'aria-label': label });
  const common = [attributes, placeholder(example), completion(language, vocabulary, read)];
  if (language === 'sql') return [common, sqlLanguage(vocabulary)];
  const run = () => {
    void app.run();
    return true;
  };
  const line = EditorView.editorAttributes.of({ class: 'line' });
  const enter = Prec.high(keymap.of([{ key: 'Enter', run }]));
  return [common, line, enter, lqlLanguage];
}

/** Returns the faults that have a position in the text. */
function faultDiagnostics({ state, language }: Props): readonly Diagnostic[] {
  const placed = state.faults.filter(({ line }) => line !== undefined);
  return placed.map((fault) => {
    return { ...rangeAt(state.page[language], fault), severity: 'error', message: fault.message };
  });
}
