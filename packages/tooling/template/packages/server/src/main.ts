/** The program: the server, and the commands behind `npm run keys`. */
import { createService } from '@contract-first/service';
import { api } from './operations/api.ts';

await createService(api).run();
