/**
 * One atomic step over the permits of an app and of one tenant. A sorted set for each holds the permits that are taken,
 * and when, by the server's clock. Background gets none while a live caller of any process waits for the app's. It
 * leaves a reserve free as long as a live request came within the window.
 *
 * Returns the reason of a refusal (0 granted, 1 the app, 2 the tenant, 3 a pause) and for how many milliseconds.
 *
 * KEYS: the pause; the end of live callers' waits; permits of the app; that a live request came. If the tenant has a limit,
 * its permits follow.
 */
export const permitScript = `
  local ask = cjson.decode(ARGV[1])
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local exact = function(number) return string.format('%.3f', number) end

  local function scope(key, given)
    return {key = key, limit = given.limit, hold = given.holdMs, reserve = given.reserve}
  end
  local scopes = {scope(KEYS[3], ask.app)}
  if KEYS[5] then scopes[2] = scope(KEYS[5], ask.tenant) end

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
  if ask.lane == 'live' then redis.call('SET', KEYS[4], '1', 'PX', math.ceil(ask.app.holdMs))
  else isReserved = redis.call('EXISTS', KEYS[4]) == 1 end

  -- How many permits have to be free, so that the reserve is left.
  local function needed(scope)
    if isReserved then return math.min(scope.limit, ask.weight + scope.reserve) end
    return ask.weight
  end

  local waitMs, by = math.max(0, redis.call('PTTL', KEYS[1])), 3
  local liveUntil = tonumber(redis.call('GET', KEYS[2]) or 0)
  local appMs = freeIn(scopes[1], ask.ahead + needed(scopes[1]))
  if ask.lane == 'background' then appMs = math.max(appMs, liveUntil - now) end
  if appMs > waitMs then waitMs, by = appMs, 1 end
  local tenantMs = scopes[2] and freeIn(scopes[2], needed(scopes[2])) or 0
  if tenantMs > waitMs then waitMs, by = tenantMs, 2 end

  if waitMs <= 0 then
    for _, scope in ipairs(scopes) do take(scope, ask.name, ask.weight, now) end
    return {0, 0}
  end

  if ask.lane == 'live' and by ~= 2 and ask.ahead == 0 and waitMs <= ask.maxWaitMs then
    -- It may come back a little late.
    local waitsMs = math.ceil(waitMs) + 100
    if now + waitsMs > liveUntil then redis.call('SET', KEYS[2], exact(now + waitsMs), 'PX', waitsMs) end
  end
  return {by, math.ceil(waitMs)}
`;

/** Makes everyone wait. Never shortens a longer pause. */
export const pauseScript = `
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
  return 0
`;
