import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The URL of the API, which accepts requests from any origin. */
const apiUrl = process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:3000/v1';

export default defineConfig({
  plugins: [react(), contentSecurityPolicy()],
  define: { ANIMAL_STORE_URL: JSON.stringify(apiUrl) },
});

/**
 * The built page runs only its own code and connects only to the API, so that an injected script cannot send the key
 * elsewhere.
 */
function contentSecurityPolicy(): Plugin {
  const content = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src ${new URL(apiUrl).origin}`;
  return {
    name: 'content-security-policy',
    // Only for the build, because Vite's development server adds inline code to the page.
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content }, injectTo: 'head-prepend' },
    ],
  };
}
