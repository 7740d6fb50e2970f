/** Lets those that ask about the same caller ask one after the other. Who waits behind one that fails, fails with it. */
export class Turns<Answer> {
  readonly #last = new Map<string, Promise<Answer>>();

  take(caller: string, ask: () => Promise<Answer>): Promise<Answer> {
    const before = this.#last.get(caller);
    const answer = before === undefined ? ask() : before.then(ask);
    this.#last.set(caller, answer);
    const leave = () => {
      if (this.#last.get(caller) === answer) this.#last.delete(caller);
    };
    answer.then(leave, leave);
    return answer;
  }
}
