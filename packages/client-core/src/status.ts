/** The statuses of errors, as RFC 9110 and others register them. */
export type ClientErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418)
  | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);
export type ServerErrorStatus = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/** The statuses of gateways that are not registered. */
type GatewayStatus =
  | 444
  | 460
  | 463
  | 464
  | 494
  | 495
  | 496
  | 497
  | 498
  | 499
  | 520
  | 521
  | 522
  | 523
  | 524
  | 525
  | 526
  | 530
  | 561;

/** The status of any response. 0 if a browser hides it, as for a redirect. */
export type HttpStatus =
  | (0 | 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226 | 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308)
  | ClientErrorStatus
  | ServerErrorStatus
  | GatewayStatus;
