/** The move cannot be done. The message says what to do. */
export class MoveError extends Error {
  override name = 'MoveError';
}
