import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of the editor: the page's colours, which follow the system's dark or light scheme. */
export const editorTheme = [
  EditorView.theme({
    '&': {
      color: 'var(--text)',
      backgroundColor: 'var(--surface)',
      fontSize: '12px',
      maxHeight: '280px',
    },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
    '&.line': { maxHeight: '90px' },
    '&.line .cm-gutters': { display: 'none' },
    '&.line .cm-activeLine': { backgroundColor: 'transparent !important' },
    '.cm-content': { caretColor: 'var(--text)', padding: '5px 4px' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--faint)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--hover)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
      {
        backgroundColor: 'var(--select)',
      },
    '.cm-selectionMatch': { backgroundColor: 'var(--hover)' },
    '.cm-tooltip': {
      color: 'var(--text)',
      backgroundColor: 'var(--surface)',
      border: '1px solid var(--line)',
      borderRadius: '6px',
      boxShadow: '0 4px 16px rgb(0 0 0 / 18%)',
    },
    '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      color: 'var(--on-accent)',
      backgroundColor: 'var(--accent)',
    },
    '.cm-tooltip.cm-completionInfo': { maxWidth: '360px', fontFamily: 'var(--sans)' },
    '.cm-lintRange-error': { background: 'none', textDecoration: 'underline wavy var(--error)' },
    '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
    '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--surface)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.keyword, color: 'var(--keyword)' },
      { tag: [tags.string, tags.special(tags.string)], color: 'var(--string)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
      { tag: [tags.comment], color: 'var(--faint)' },
      { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--type)' },
    ]),
  ),
];
