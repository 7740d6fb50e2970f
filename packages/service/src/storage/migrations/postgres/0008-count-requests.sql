-- additive
-- Counts requests of `known.caller` that came together, with one change of its row, and returns each. `known` is
-- the usage as far as the process knows it: where the row has counted less, because it was lost, counting continues from there.
-- `ahead` further requests that may come soon are counted as well, but at most a thousandth of those that the caller has left: the last
-- request returns how many. The process gives back what it has not needed: `unused` requests that were counted ahead in `unused_minute`.
CREATE FUNCTION count_requests(
  known counts, requests bigint, per_minute bigint, per_day bigint, rules ban_rules,
  INOUT ahead bigint, unused bigint, unused_minute bigint,
  INOUT counted_at bigint, OUT outcome text, OUT ban_started boolean, OUT usage counts
) RETURNS SETOF record LANGUAGE plpgsql
-- A connection keeps its plan. One that is made while the table is nearly empty would read the whole table, also when it has grown.
SET enable_seqscan = off AS $$
DECLARE
  wanted bigint := ahead;
BEGIN
  -- For this transaction: no request waits for the disk. A crash forgets less than a second of counting, and bans are saved elsewhere.
  PERFORM set_config('synchronous_commit', 'off', true);
  LOOP
    SELECT * INTO usage FROM counts WHERE caller = known.caller FOR NO KEY UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO counts (caller) VALUES (known.caller) ON CONFLICT DO NOTHING;
  END LOOP;
  -- Not before the row is locked, so that the times of a row never go back.
  counted_at := coalesce(counted_at, floor(extract(epoch FROM clock_timestamp()) * 1000));
  usage := enter_windows(usage, counted_at);
  IF usage.minute = unused_minute THEN usage.minute_used := greatest(0, usage.minute_used - unused); END IF;
  IF usage.day = unused_minute / 1440 THEN usage.day_used := greatest(0, usage.day_used - unused); END IF;
  usage := catch_up(usage, enter_windows(known, counted_at), 0, 0);
  -- The clock was set back since a ban that ends later than one that starts now.
  IF rules IS NOT NULL AND usage.banned_until > counted_at THEN
    usage.banned_until := least(usage.banned_until, counted_at + ban_length(greatest(1, usage.bans), rules));
  END IF;

  ahead := 0;
  FOR request IN 1 .. requests LOOP
    usage.minute_used := usage.minute_used + 1;
    usage.day_used := usage.day_used + 1;
    ban_started := false;
    IF usage.banned_until > counted_at THEN
      outcome := 'banned';
    ELSIF usage.minute_used <= per_minute AND usage.day_used <= per_day THEN
      outcome := 'allowed';
    ELSE
      outcome := 'limited';
      IF rules IS NOT NULL THEN
        usage := refuse(usage, tighter_reset(usage, per_minute, per_day), counted_at, rules);
        ban_started := usage.refused_window = 0;
        IF ban_started THEN outcome := 'banned'; END IF;
      END IF;
    END IF;
    IF request = requests AND outcome = 'allowed' THEN
      ahead := least(wanted, (per_minute - usage.minute_used) / 1000, (per_day - usage.day_used) / 1000);
    END IF;
    RETURN NEXT;
  END LOOP;

  UPDATE counts SET minute = usage.minute, minute_used = usage.minute_used + ahead,
    day = usage.day, day_used = usage.day_used + ahead,
    bans = usage.bans, banned_until = usage.banned_until, refused_window = usage.refused_window,
    first_refused_at = usage.first_refused_at, refusals = usage.refusals
  WHERE caller = known.caller;
END $$;
