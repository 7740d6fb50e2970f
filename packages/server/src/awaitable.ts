/** What is there at once, or later. For what each request passes: a promise that need not be there costs more than the work. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: at once when it is there. Rejects, or throws, as `use` does. */
export function andThen<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}
