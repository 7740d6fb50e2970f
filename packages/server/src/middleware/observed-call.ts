import type { OperationId } from '@animal-store/contract';
import type { Clock } from '../common/clock.ts';
import type { Call, Input, UrlOf } from '../contract/operation.ts';
import { urlsAt } from '../contract/urls.ts';
import type { KeyRecord, StoreTypes } from '../storage/storage.ts';

export type Surroundings = { caller: KeyRecord; clock: Clock; context: { origin: string } };

/** What an operation receives. */
export function callOf<Id extends OperationId, Store extends StoreTypes>(
  { query, path, body }: Input<Id>,
  storage: Call<Id, Store>['storage'],
  { caller, clock, context }: Surroundings,
): Call<Id, Store> {
  // The origin is looked for only where a link is made.
  const urlOf: UrlOf = (target, parameters) => urlsAt(context.origin)(target, parameters);
  return { query, path, body, storage, caller, clock, urlOf };
}

export type ObservedCall<Id extends OperationId, Store extends StoreTypes> = {
  call: Call<Id, Store>;
  /** Whether the operation has asked who calls or what time it is: its response is for this caller or this moment alone. */
  dependsOnMoment: () => boolean;
};

/**
 * Notes what an operation asks for. The call's properties are its own, as those of any call, so that an operation may pass
 * on a copy. That takes a microsecond, for which only responses that may be kept are worth it.
 */
export function observe<Id extends OperationId, Store extends StoreTypes>(
  call: Call<Id, Store>,
): ObservedCall<Id, Store> {
  const { caller, clock } = call;
  let depends = false;
  const observed = {
    ...call,
    get caller() {
      depends = true;
      return caller;
    },
    get clock() {
      depends = true;
      return clock;
    },
  };
  return { call: observed, dependsOnMoment: () => depends };
}
