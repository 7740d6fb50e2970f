import type { OperationId } from '@animal-store/contract';
import type { Clock } from '../clock.ts';
import type { KeyRecord } from '../storage/storage.ts';
import type { Call, Input, UrlOf } from './operation.ts';
import { urlsAt } from './url.ts';

export type Surroundings = { caller: KeyRecord; clock: Clock; exchange: { origin: string } };

/** What an operation receives; notes whether it asks who calls or what time it is. */
export class ObservedCall<Id extends OperationId> {
  readonly query: Input<Id>['query'];
  readonly path: Input<Id>['path'];
  readonly body: Input<Id>['body'];
  readonly storage: Call<Id>['storage'];
  readonly #surroundings: Surroundings;
  #dependsOnMoment = false;

  constructor(input: Input<Id>, storage: Call<Id>['storage'], surroundings: Surroundings) {
    this.query = input.query;
    this.path = input.path;
    this.body = input.body;
    this.storage = storage;
    this.#surroundings = surroundings;
  }

  get urlOf(): UrlOf {
    return urlsAt(this.#surroundings.exchange.origin);
  }

  get caller(): KeyRecord {
    this.#dependsOnMoment = true;
    return this.#surroundings.caller;
  }

  get clock(): Clock {
    this.#dependsOnMoment = true;
    return this.#surroundings.clock;
  }

  /** Whether the reply is for this caller or this moment alone. */
  get dependsOnMoment(): boolean {
    return this.#dependsOnMoment;
  }
}
