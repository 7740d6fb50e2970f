/** The lists of the API by their paths: `for await (const item of paginate(api, path))`. */
import { type Paginate, paginator } from '@contract-first/client';
import { paging } from '@my-api/contract/constants';
import type { paths } from '@my-api/contract/types';

export const paginate: Paginate<paths, typeof paging> = paginator<paths>()(paging);
