import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { html } from '../app/html.js';

/** Asks for the token. */
export function SignIn({ app, state }: PageProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  const [keep, setKeep] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    if (token !== '') void app.connect(token, keep);
  };
  return html`<main class="sign-in">
    <h1>log-endpoints</h1>
    <form onSubmit=${submit} aria-describedby="sign-in-hint">
      <label for="token">Token</label>
      <input id="token" type="password" ref=${field} autocomplete="off" spellcheck=${false}
        aria-invalid=${state.connectFault !== ''} aria-describedby="sign-in-fault" />
      <p id="sign-in-fault" class="fault" role="alert">${state.connectFault}</p>
      <label class="check">
        <input type="checkbox" checked=${keep} onChange=${() => setKeep(!keep)} />
        Keep it until this tab is closed
      </label>
      <button class="primary" disabled=${state.isConnecting}>
        ${state.isConnecting ? 'Connecting…' : 'Connect'}
      </button>
    </form>
    <p id="sign-in-hint" class="hint">
      The server prints a token when it starts, unless it was given some. The page keeps the token
      in memory and sends it to this server only.
    </p>
  </main>`;
}
