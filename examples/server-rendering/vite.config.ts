import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react()],
  // The workspace has the client as TypeScript, which Node does not run below node_modules.
  ssr: { noExternal: ['@animal-store/client'] },
  build: isSsrBuild
    ? {}
    : {
        outDir: 'dist/browser',
        rolldownOptions: { input: 'src/browser.tsx', output: { entryFileNames: 'browser.js' } },
      },
}));
