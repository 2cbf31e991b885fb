import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { html } from '../app/html.js';

/** Asks for the token. The link that was opened stays, and runs once the token is accepted. */
export function SignIn({ app, state }: PageProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  const { connectFault, isConnecting, page } = state;
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [connectFault]);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    if (token !== '') void app.connect(token);
  };
  const { project } = page.values;
  const asked = page.endpoint === '' ? '' : `${page.endpoint}${project ? ` of ${project}` : ''}`;
  return html`<main class="sign-in">
    <h1>log-endpoints</h1>
    ${asked !== '' && html`<p class="hint">The link to ${asked} opens once you have signed in.</p>`}
    <form onSubmit=${submit} aria-describedby="sign-in-hint">
      <label for="token">Token</label>
      <input id="token" type="password" ref=${field} autocomplete="off" spellcheck=${false}
        aria-invalid=${connectFault !== ''} aria-describedby="sign-in-fault" />
      <p id="sign-in-fault" class="fault" role="alert">${connectFault}</p>
      <button class="b fill" disabled=${isConnecting}>${isConnecting ? 'Connecting…' : 'Connect'}</button>
    </form>
    <ul id="sign-in-hint" class="hint">
      <li>The server printed a token, or a link with a code, when it started. If somebody else runs it, ask them for a token.</li>
      <li>The page keeps the token until this tab is closed or you sign out, and sends it to this server only.</li>
    </ul>
  </main>`;
}
