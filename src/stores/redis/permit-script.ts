/**
 * One atomic step over the permits of an app and of one tenant: a sorted set for each holds the permits that are taken,
 * and when, by the server's clock.
 *
 * A refused process is written down with how many permits it wants. Within a lane, the processes that were served less
 * come first, and background comes after everything live: a permit is granted only if enough are free for those before.
 * Nothing is held for a process that doesn't come back in time; it keeps its turn.
 * The background leaves a reserve free for as long as a live request came within the window.
 *
 * Returns the reason of a refusal (0 granted, 1 the app, 2 the tenant, 3 a pause) and for how many milliseconds.
 *
 * KEYS: the pause; turns, ends and wants of live; the same of background; permits of the app; that a live request came;
 * permits of the tenant, if it has a limit.
 */
export const permitScript = `
  local ask = cjson.decode(ARGV[1])
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local exact = function(number) return string.format('%.3f', number) end

  local function scope(key, given)
    return {key = key, limit = given.limit, hold = given.holdMs, reserve = given.reserve}
  end
  local scopes = {scope(KEYS[8], ask.app)}
  if KEYS[10] then scopes[2] = scope(KEYS[10], ask.tenant) end

  local function take(scope, name, weight, at)
    for unit = 1, weight do redis.call('ZADD', scope.key, 'NX', exact(at), name .. ':' .. unit) end
    redis.call('PEXPIRE', scope.key, math.ceil(scope.hold) + 1000)
  end

  if ask.mode == 'release' then
    for _, scope in ipairs(scopes) do
      for unit = 1, ask.weight do redis.call('ZREM', scope.key, ask.name .. ':' .. unit) end
    end
    return {0, 0}
  end

  if ask.mode == 'report' then
    for _, scope in ipairs(scopes) do
      for _, grant in ipairs(ask.grants) do take(scope, grant[1], grant[2], now - grant[3]) end
    end
    return {0, 0}
  end

  for _, scope in ipairs(scopes) do
    redis.call('ZREMRANGEBYSCORE', scope.key, '-inf', exact(now - scope.hold))
    scope.taken = redis.call('ZCARD', scope.key)
    -- Permits from the future mean that the clock was set back: they count as taken now.
    if scope.taken + ask.weight > scope.limit then
      for _, name in ipairs(redis.call('ZRANGEBYSCORE', scope.key, '(' .. exact(now + 1), '+inf')) do
        redis.call('ZADD', scope.key, exact(now), name)
      end
    end
  end

  -- How long until the last of so many more permits is free, if they are taken as early as possible.
  local function freeIn(scope, units)
    local count = scope.taken + units
    if count <= scope.limit then return 0 end
    local rounds = math.ceil(count / scope.limit) - 1
    local at = count - rounds * scope.limit - 1
    local kept = redis.call('ZRANGE', scope.key, at, at, 'WITHSCORES')
    return math.max(0, tonumber(kept[2] or exact(now)) + scope.hold - now) + (rounds - 1) * scope.hold
  end

  local isReserved = false
  if ask.lane == 'live' then redis.call('SET', KEYS[9], '1', 'PX', math.ceil(ask.app.holdMs))
  else isReserved = redis.call('EXISTS', KEYS[9]) == 1 end

  -- How many permits have to be free, so that the reserve is left.
  local function needed(scope)
    if isReserved then return math.min(scope.limit, ask.weight + scope.reserve) end
    return ask.weight
  end

  local lanes = {
    live = {turns = KEYS[2], ends = KEYS[3], wants = KEYS[4]},
    background = {turns = KEYS[5], ends = KEYS[6], wants = KEYS[7]},
  }
  local own = lanes[ask.lane]
  local known, turn, most, before, waiting = false, 0, 0, 0, 1

  if redis.call('EXISTS', lanes.live.turns, lanes.background.turns) > 0 then
    for _, lane in pairs(lanes) do
      for _, process in ipairs(redis.call('ZRANGEBYSCORE', lane.ends, '-inf', exact(now), 'LIMIT', 0, 100)) do
        redis.call('ZREM', lane.ends, process)
        redis.call('HDEL', lane.wants, process)
      end
    end

    -- A process saves up one window at most.
    known = redis.call('ZSCORE', own.turns, ask.process)
    local least = redis.call('ZRANGE', own.turns, 0, 0, 'WITHSCORES')[2]
    most = tonumber(redis.call('ZRANGE', own.turns, -1, -1, 'WITHSCORES')[2] or 0)
    turn = math.max(tonumber(known or least or 0), most - ask.app.limit)
    waiting = math.max(1, redis.call('HLEN', own.wants))

    -- What the processes want that come first, up to what makes them equal.
    local others = redis.call('ZRANGEBYSCORE', own.turns, '-inf', '(' .. turn, 'WITHSCORES')
    for at = 1, #others, 2 do
      local want = tonumber(redis.call('HGET', own.wants, others[at]) or 0)
      if others[at] ~= ask.process then before = before + math.min(want, turn - tonumber(others[at + 1])) end
    end
    if ask.lane == 'background' then
      local wants = redis.call('HGETALL', lanes.live.wants)
      for at = 1, #wants, 2 do
        if wants[at] ~= ask.process then before = before + tonumber(wants[at + 1]) end
      end
    end
  end

  local waitMs, by = math.max(0, redis.call('PTTL', KEYS[1])), 3
  local appMs = freeIn(scopes[1], before + ask.ahead * waiting + needed(scopes[1]))
  if appMs > waitMs then waitMs, by = appMs, 1 end
  local tenantMs = scopes[2] and freeIn(scopes[2], needed(scopes[2])) or 0
  if tenantMs > waitMs then waitMs, by = tenantMs, 2 end

  if waitMs <= 0 then
    for _, scope in ipairs(scopes) do take(scope, ask.name, ask.weight, now) end
    if known and ask.wanted > ask.weight then
      redis.call('ZADD', own.turns, turn + ask.weight, ask.process)
      redis.call('HSET', own.wants, ask.process, ask.wanted - ask.weight)
    elseif known then
      redis.call('ZREM', own.turns, ask.process)
      redis.call('ZREM', own.ends, ask.process)
      redis.call('HDEL', own.wants, ask.process)
    end
    return {0, 0}
  end

  if by ~= 2 and ask.ahead == 0 and waitMs <= ask.maxWaitMs then
    redis.call('ZADD', own.turns, turn, ask.process)
    redis.call('ZREMRANGEBYSCORE', own.turns, '-inf', most - 2 * ask.app.limit)
    redis.call('ZADD', own.ends, exact(now + waitMs + ask.graceMs), ask.process)
    redis.call('HSET', own.wants, ask.process, ask.wanted)
    for _, key in pairs(own) do redis.call('PEXPIRE', key, math.ceil(waitMs) + 60000) end
  end
  return {by, math.ceil(waitMs)}
`;

/** Makes everyone wait. Never shortens a longer pause. */
export const pauseScript = `
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
  return 0
`;
