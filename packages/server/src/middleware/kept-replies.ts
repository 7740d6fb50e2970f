import type { OutgoingResponse } from '../http/respond.ts';

/** Characters of JSON that are kept at once, some 8 MB. */
const CAPACITY = 8_000_000;

/** What a response takes beside its JSON and its address: there are many that are nearly empty. */
const BESIDE = 400;

/** Responses made of what is stored, kept until the next write: whoever reads the same again gets the same. */
export class KeptResponses {
  readonly #responses = new Map<string, OutgoingResponse>();
  readonly #capacity: number;
  #size = 0;
  #version: number | undefined = undefined;

  constructor(capacity: number = CAPACITY) {
    this.#capacity = capacity;
  }

  /** @param version of what is stored now */
  find(version: number, address: string): OutgoingResponse | undefined {
    return version === this.#version ? this.#responses.get(address) : undefined;
  }

  /** @param version of what was stored before the response was made, so that a write meanwhile makes it an old one */
  keep(version: number, address: string, response: OutgoingResponse): void {
    const size = BESIDE + address.length + (response.json?.length ?? 0);
    if (size > this.#capacity) return;
    if (version !== this.#version || this.#size + size > this.#capacity) this.#startAnew(version);
    this.#responses.set(address, response);
    this.#size += size;
  }

  #startAnew(version: number): void {
    this.#responses.clear();
    this.#size = 0;
    this.#version = version;
  }
}
