-- Counts one request in Redis or Valkey, exactly as countRequest of the service does in a process.
-- KEYS[1]: the caller. ARGV: `argumentsOf` the request. Returns what `readCount` reads.
-- Plain numbers, because JSON would be more than half of the work.
local SECOND, MINUTE, DAY = 1000, 60000, 86400000
-- Milliseconds that a count is kept after its day, in case the clock of a replica that takes over is behind.
local MARGIN = 3600000

local function time()
  local parts = redis.call('TIME')
  return parts[1] * 1000 + math.floor(parts[2] / 1000)
end

local function empty_usage(now)
  return {
    minute = math.floor(now / MINUTE), minuteUsed = 0, day = math.floor(now / DAY), dayUsed = 0,
    bans = 0, bannedUntil = 0, refusedWindow = 0, firstRefusedAt = 0, refusals = 0,
  }
end

local function roll_window(current, last, used)
  if current > last then return current, 0 end
  if last - current > 1 then return current, used end
  return last, used
end

local function roll_windows(usage, now)
  usage.minute, usage.minuteUsed = roll_window(math.floor(now / MINUTE), usage.minute, usage.minuteUsed)
  usage.day, usage.dayUsed = roll_window(math.floor(now / DAY), usage.day, usage.dayUsed)
end

-- The later window of the two; if both are the same, with the higher count.
local function join_windows(window, used, known, known_used)
  if known > window then return known, known_used end
  if known < window then return window, used end
  return window, math.max(used, known_used)
end

-- Restores what was lost here from the usage that a process knows.
local function catch_up(usage, known, now)
  roll_windows(known, now)
  usage.minute, usage.minuteUsed = join_windows(usage.minute, usage.minuteUsed, known.minute, known.minuteUsed)
  usage.day, usage.dayUsed = join_windows(usage.day, usage.dayUsed, known.day, known.dayUsed)
  if known.bannedUntil > usage.bannedUntil then
    usage.bans, usage.bannedUntil, usage.refusedWindow = known.bans, known.bannedUntil, 0
  end
end

-- The length in milliseconds of the n-th ban in a row.
local function ban_length(bans, rules)
  return math.min(rules.firstSeconds * rules.factor ^ (bans - 1), rules.maximumSeconds) * SECOND
end

-- The end (Unix seconds) of the window with fewer requests left; of the day, if both have the same number left.
local function tighter_reset(usage, call)
  local minute_left = math.max(0, call.perMinute - usage.minuteUsed)
  local day_left = math.max(0, call.perDay - usage.dayUsed)
  if day_left <= minute_left then return (usage.day + 1) * DAY / SECOND end
  return (usage.minute + 1) * MINUTE / SECOND
end

local function is_ban_due(usage, window, now, rules)
  if usage.refusedWindow ~= window or now < usage.firstRefusedAt then
    usage.refusedWindow, usage.firstRefusedAt, usage.refusals = window, now, 0
    return false
  end
  if now - usage.firstRefusedAt < rules.graceSeconds * SECOND then return false end
  usage.refusals = usage.refusals + 1
  return usage.refusals > rules.toleratedRefusals
end

local function start_ban(usage, now, rules)
  local forgotten = now - usage.bannedUntil >= rules.forgetAfterSeconds * SECOND
  usage.bans = forgotten and 1 or usage.bans + 1
  usage.bannedUntil = now + ban_length(usage.bans, rules)
  usage.refusedWindow = 0
end

-- Returns the outcome, and whether a ban started.
local function decide(usage, call, now)
  local rules = call.rules
  roll_windows(usage, now)
  if rules then
    usage.bannedUntil = math.min(usage.bannedUntil, now + ban_length(math.max(1, usage.bans), rules))
  end
  usage.minuteUsed = usage.minuteUsed + 1
  usage.dayUsed = usage.dayUsed + 1
  if usage.bannedUntil > now then return 'banned', false end
  if usage.minuteUsed <= call.perMinute and usage.dayUsed <= call.perDay then return 'allowed', false end
  if rules and is_ban_due(usage, tighter_reset(usage, call), now, rules) then
    start_ban(usage, now, rules)
    return 'banned', true
  end
  return 'limited', false
end

-- Milliseconds until a usage can be deleted.
local function time_to_live(usage, call, now)
  local ends = (usage.day + 1) * DAY
  if call.rules and usage.bans > 0 then
    ends = math.max(ends, usage.bannedUntil + call.rules.forgetAfterSeconds * SECOND)
  end
  return ends - now + MARGIN
end

-- The order in which a usage is sent, stored and returned.
local function pack(usage)
  return usage.minute, usage.minuteUsed, usage.day, usage.dayUsed, usage.bans, usage.bannedUntil,
    usage.refusedWindow, usage.firstRefusedAt, usage.refusals
end

local function unpack_usage(minute, minuteUsed, day, dayUsed, bans, bannedUntil, refusedWindow, firstRefusedAt, refusals)
  return {
    minute = minute, minuteUsed = minuteUsed, day = day, dayUsed = dayUsed, bans = bans, bannedUntil = bannedUntil,
    refusedWindow = refusedWindow, firstRefusedAt = firstRefusedAt, refusals = refusals,
  }
end

local arguments = {}
for index, argument in ipairs(ARGV) do arguments[index] = tonumber(argument) or false end

local function rules_of(grace, tolerated, first, factor, maximum, forget)
  return grace and {
    graceSeconds = grace, toleratedRefusals = tolerated, firstSeconds = first, factor = factor,
    maximumSeconds = maximum, forgetAfterSeconds = forget,
  }
end

local now = arguments[1] or time()
local call = { perMinute = arguments[2], perDay = arguments[3], rules = rules_of(unpack(arguments, 13, 18)) }
local stored = redis.call('GET', KEYS[1])
local usage = stored and unpack_usage(cmsgpack.unpack(stored)) or empty_usage(now)
roll_windows(usage, now)
catch_up(usage, unpack_usage(unpack(arguments, 4, 12)), now)
local outcome, ban_started = decide(usage, call, now)
redis.call('SET', KEYS[1], cmsgpack.pack(pack(usage)), 'PX', string.format('%d', time_to_live(usage, call, now)))
return { now, outcome, ban_started and 1 or 0, pack(usage) }
