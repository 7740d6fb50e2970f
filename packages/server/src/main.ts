/** The program of this API: the server, and the commands behind `npm run keys` and similar scripts. */

import { createService } from '@contract-first/service';
import { api } from './operations/api.ts';

await createService(api).run();
