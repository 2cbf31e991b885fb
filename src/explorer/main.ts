import { render } from 'preact';
import { App } from './app/app.js';
import { html } from './app/html.js';
import { loadAfterPaint } from './views/later.js';
import { Page } from './views/page.js';

const app = new App();
const root = document.getElementById('root');
if (root !== null) render(html`<${Page} app=${app} />`, root);
void app.start();
loadAfterPaint();
