/** The program of the second contract. */
import { createService } from '@contract-first/service';
import { api } from './operations.ts';

await createService(api).run();
