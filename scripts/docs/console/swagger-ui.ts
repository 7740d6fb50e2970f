import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { withHash } from '../shell/assets.ts';
import type { SiteFile } from '../site-file.ts';

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Swagger UI as it is published: script and style, under names that change with their content, and its licence. */
export function swaggerUi(): { script: SiteFile; style: SiteFile; notices: SiteFile[] } {
  return {
    script: hashed('swagger-ui-bundle.js'),
    style: hashed('swagger-ui.css'),
    notices: [
      // Apache-2.0, 4: who passes it on passes on its licence and its notice, too.
      { path: 'assets/swagger-ui.LICENSE.txt', content: read('LICENSE') },
      { path: 'assets/swagger-ui.NOTICE.txt', content: read('NOTICE') },
      { path: 'assets/swagger-ui-bundle.js.LICENSE.txt', content: read('swagger-ui-bundle.js.LICENSE.txt') },
    ],
  };
}

function hashed(name: string): SiteFile {
  // What names its source map would have developer tools ask for a file that is not there.
  const content = read(name).replace(/\n\/[/*]# sourceMappingURL=\S+(?: ?\*\/)?\s*$/, '\n');
  return { path: withHash(`assets/${name}`, content), content };
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
