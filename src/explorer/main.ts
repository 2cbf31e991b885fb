import { render } from 'preact';
import { createApp } from './app/app.js';
import { html } from './app/html.js';
import { loadAfterPaint } from './views/later.js';
import { Page } from './views/page.js';

const app = createApp();
const root = document.getElementById('root');
if (root !== null) render(html`<${Page} app=${app} />`, root);
void app.start();
loadAfterPaint();
