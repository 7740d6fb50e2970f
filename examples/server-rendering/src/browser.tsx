import { createAnimalStore } from '@animal-store/client';
import { hydratePage } from './hydrate-page.tsx';

// The server adds the API key, so that it never reaches the browser.
hydratePage(createAnimalStore({ apiKey: 'from-the-server', baseUrl: `${location.origin}/v1` }));
