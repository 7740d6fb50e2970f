-- additive
-- Gives up rather than let all callers wait behind a pg_dump; the supervisor starts the server again.
SET LOCAL lock_timeout = '500ms';
-- What a process heard before counts where it was lost here, and what it counted while it was cut off is added. A negative number gives
-- back what the process reserved and did not use, unless its window is over: then the process knows of no request in the new one.
CREATE OR REPLACE FUNCTION catch_up(INOUT usage counts, known counts, alone_minute bigint, alone_day bigint)
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  alone_minute := CASE known.minute_used WHEN 0 THEN 0 ELSE least(alone_minute, known.minute_used) END;
  alone_day := CASE known.day_used WHEN 0 THEN 0 ELSE least(alone_day, known.day_used) END;
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

-- A connection keeps its plan of the statements in this function. One that is made while the table is nearly empty would read the whole
-- table, also when it has grown, until the next ANALYZE: after the start of a server, and after the callers of a day were forgotten.
ALTER FUNCTION count_request(counts, bigint, bigint, bigint, bigint, ban_rules, bigint) SET enable_seqscan = off;
