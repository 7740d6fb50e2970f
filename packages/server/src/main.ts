/** The program of this API: the server, and the commands behind `npm run keys` and its like. */
import { api } from './operations/api.ts';
import { createService } from './service.ts';

await createService({ ...api, main: import.meta.url }).run();
