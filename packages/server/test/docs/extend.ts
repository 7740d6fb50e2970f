/** The code in docs/extend.md, word for word. extend.ci.test.ts runs it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../service/src/common/time.ts';
import { ApiError } from '../../../service/src/openapi/api-error.ts';

type Calls = {
  receivePayment: {
    body: { test: number };
    rawBody: Uint8Array;
    header: { 'Webhook-Id': string; 'Webhook-Timestamp': number; 'Webhook-Signature': string };
    storage: { addEvent(id: string, event: object): Promise<void> };
    clock: Clock;
  };
};
type Call<Id extends keyof Calls> = Calls[Id];
type Results = { receivePayment: { status: 204 } | ApiError<'invalid_request'> };
type Result<Id extends keyof Calls> = Results[Id];

const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');

export async function receivePayment(call: Call<'receivePayment'>): Promise<Result<'receivePayment'>> {
  const { header, body, rawBody, storage, clock } = call;
  const { 'Webhook-Id': id, 'Webhook-Timestamp': sentAt, 'Webhook-Signature': signatures } = header;
  const hmac = createHmac('sha256', secret).update(`${id}.${sentAt}.`).update(rawBody);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  const isSigned = signatures.split(' ').some((text) => {
    const sent = Buffer.from(text);
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
  if (!isSigned) return new ApiError('invalid_request', 'The signature does not fit the body.');
  // Somebody who has recorded a request could send it again.
  if (Math.abs(clock() / 1_000 - sentAt) > 300) return new ApiError('invalid_request', 'The webhook is too old.');
  // The ID is the primary key, and `ON CONFLICT DO NOTHING` leaves out what has already arrived.
  await storage.addEvent(id, body);
  return { status: 204 };
}
