import htm from 'htm';
import { h, type VNode } from 'preact';

/** Builds elements from a template. Strings always become text nodes, so log contents are never parsed as HTML. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
