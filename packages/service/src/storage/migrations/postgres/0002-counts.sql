-- replaces 22d96ada7edd69c63a94f52bb8de3022d348fd5c0872bfdb816489311ca4568e
-- Until 1.1.0, this file also had `count_request`, which 0008 replaces.
-- Where callers stand, counted for all processes on this database together. `count_requests` of 0008 does exactly what countRequest
-- in rate-limit/count-request.ts does in a process, in one call and one transaction; a test holds the two together.

-- Changed with each request: room in each page lets a row stay where it is.
CREATE TABLE counts (
  caller text PRIMARY KEY,
  minute bigint NOT NULL DEFAULT 0,
  minute_used bigint NOT NULL DEFAULT 0,
  day bigint NOT NULL DEFAULT 0,
  day_used bigint NOT NULL DEFAULT 0,
  bans bigint NOT NULL DEFAULT 0,
  banned_until bigint NOT NULL DEFAULT 0,
  refused_window bigint NOT NULL DEFAULT 0,
  first_refused_at bigint NOT NULL DEFAULT 0,
  refusals bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
-- Rows whose day is over are forgotten. `day` changes once a day, so all other changes leave the index alone.
CREATE INDEX counts_by_day ON counts (day);

CREATE TYPE ban_rules AS (
  grace_seconds bigint,
  tolerated_refusals bigint,
  first_seconds bigint,
  factor double precision,
  maximum_seconds bigint,
  forget_after_seconds bigint
);

-- Only a later window starts anew: a clock that is set back into the window before stays in the later one, and one that is
-- set back further takes the count along.
CREATE FUNCTION enter_windows(INOUT usage counts, at bigint) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  minute bigint := at / 60000;
  day bigint := at / 86400000;
BEGIN
  IF minute > usage.minute THEN usage.minute_used := 0; END IF;
  IF minute > usage.minute OR usage.minute - minute > 1 THEN usage.minute := minute; END IF;
  IF day > usage.day THEN usage.day_used := 0; END IF;
  IF day > usage.day OR usage.day - day > 1 THEN usage.day := day; END IF;
END $$;

-- What a process heard before counts where it was lost here, and what it counted while it was cut off is added.
CREATE FUNCTION catch_up(INOUT usage counts, known counts, alone_minute bigint, alone_day bigint)
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  alone_minute := least(alone_minute, known.minute_used);
  alone_day := least(alone_day, known.day_used);
  IF known.minute > usage.minute THEN
    usage.minute := known.minute;
    usage.minute_used := known.minute_used;
  ELSIF known.minute = usage.minute THEN
    usage.minute_used := greatest(usage.minute_used, known.minute_used - alone_minute) + alone_minute;
  END IF;
  IF known.day > usage.day THEN
    usage.day := known.day;
    usage.day_used := known.day_used;
  ELSIF known.day = usage.day THEN
    usage.day_used := greatest(usage.day_used, known.day_used - alone_day) + alone_day;
  END IF;
  IF known.banned_until > usage.banned_until THEN
    usage.bans := known.bans;
    usage.banned_until := known.banned_until;
    usage.refused_window := 0;
  END IF;
END $$;

-- Milliseconds that the n-th ban in a row lasts; where a power would be more than a number holds, the longest.
CREATE FUNCTION ban_length(bans bigint, rules ban_rules) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF (bans - 1) * ln(rules.factor) > 600 THEN RETURN rules.maximum_seconds * 1000; END IF;
  RETURN least(rules.first_seconds * power(rules.factor, bans - 1), rules.maximum_seconds) * 1000;
END $$;

-- The end (Unix seconds) of the window with fewer requests left; of the day, where both have the same left.
CREATE FUNCTION tighter_reset(usage counts, per_minute bigint, per_day bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF greatest(0, per_day - usage.day_used) <= greatest(0, per_minute - usage.minute_used) THEN
    RETURN (usage.day + 1) * 86400;
  END IF;
  RETURN (usage.minute + 1) * 60;
END $$;

-- Notes a refusal, and begins the next ban in a row when it is one too many; then `refused_window` is 0. What was under way
-- when the first 429 was given is not held against anybody; a clock that was set back begins the grace time anew.
CREATE FUNCTION refuse(INOUT usage counts, refused_window bigint, at bigint, rules ban_rules)
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF usage.refused_window <> refused_window OR at < usage.first_refused_at THEN
    usage.refused_window := refused_window;
    usage.first_refused_at := at;
    usage.refusals := 0;
    RETURN;
  END IF;
  IF at - usage.first_refused_at < rules.grace_seconds * 1000 THEN RETURN; END IF;
  usage.refusals := usage.refusals + 1;
  IF usage.refusals <= rules.tolerated_refusals THEN RETURN; END IF;
  usage.bans := CASE WHEN at - usage.banned_until >= rules.forget_after_seconds * 1000 THEN 1 ELSE usage.bans + 1 END;
  usage.banned_until := at + ban_length(usage.bans, rules);
  usage.refused_window := 0;
END $$;
