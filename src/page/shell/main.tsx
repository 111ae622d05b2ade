/** Starts the page. The service sends this module and the modules of the view together: see src/serve/page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './keys.ts';
import { followLinks } from './navigation.ts';
import { applyTheme, chosenTheme } from './theme.ts';

applyTheme(chosenTheme());
followLinks();
listenToKeys();
const root = document.getElementById('page');
if (root !== null) render(<App />, root);
