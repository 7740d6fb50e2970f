import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where the API is; it takes requests from any origin. */
const apiUrl = process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:3000/v1';

export default defineConfig({
  plugins: [react(), contentSecurityPolicy()],
  define: { ANIMAL_STORE_URL: JSON.stringify(apiUrl) },
});

/** The built page runs its own code only, and talks to the API only: whoever gets a script in cannot send the key away. */
function contentSecurityPolicy(): Plugin {
  const content = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src ${new URL(apiUrl).origin}`;
  return {
    name: 'content-security-policy',
    // While developing, Vite puts inline code into the page.
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content }, injectTo: 'head-prepend' },
    ],
  };
}
