/**
 * One atomic step over the places of an app and of one tenant: a sorted set for each, in which every place that is taken
 * stands with the moment it was taken, by the server's clock.
 *
 * Who is told to wait is written down with its process. Among waiting processes of a lane the one that was served least
 * comes first, and background comes after all that is live: a place is given only if enough are free for those before.
 * A process that does not come back when it was told to loses its turn a moment later.
 *
 * KEYS: the pause; turns of live and of background; their ends; places of the app; places of the tenant, if it has a limit.
 */
export const placeScript = `
  local ask = cjson.decode(ARGV[1])
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local exact = function(number) return string.format('%.3f', number) end

  local scopes = {{key = KEYS[6], limit = ask.app.limit, hold = ask.app.holdMs}}
  if KEYS[7] then scopes[2] = {key = KEYS[7], limit = ask.tenant.limit, hold = ask.tenant.holdMs} end

  local function take(scope, name, weight)
    for unit = 1, weight do redis.call('ZADD', scope.key, 'NX', exact(now), name .. ':' .. unit) end
    redis.call('PEXPIRE', scope.key, math.ceil(scope.hold) + 1000)
  end

  if ask.mode == 'return' then
    for _, scope in ipairs(scopes) do
      for unit = 1, ask.weight do redis.call('ZREM', scope.key, ask.name .. ':' .. unit) end
    end
    return {0, 0}
  end

  if ask.mode == 'report' then
    for _, scope in ipairs(scopes) do
      for _, grant in ipairs(ask.grants) do take(scope, grant[1], grant[2]) end
    end
    return {0, 0}
  end

  -- Frees what is over. Places from the future mean that the clock was set back: they count as taken now.
  for _, scope in ipairs(scopes) do
    redis.call('ZREMRANGEBYSCORE', scope.key, '-inf', exact(now - scope.hold))
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', scope.key, '(' .. exact(now + 1), '+inf')) do
      redis.call('ZADD', scope.key, exact(now), name)
    end
    scope.taken = redis.call('ZCARD', scope.key)
  end

  -- How long until the last of so many more places is free, if they are taken as early as can be.
  local function freeIn(scope, units)
    local place = scope.taken + units
    if place <= scope.limit then return 0 end
    local rounds = math.ceil(place / scope.limit) - 1
    local at = place - rounds * scope.limit - 1
    local kept = redis.call('ZRANGE', scope.key, at, at, 'WITHSCORES')
    return math.max(0, tonumber(kept[2] or exact(now)) + scope.hold - now) + (rounds - 1) * scope.hold
  end

  local lanes = {live = {turns = KEYS[2], ends = KEYS[4]}, background = {turns = KEYS[3], ends = KEYS[5]}}
  for _, lane in pairs(lanes) do
    for _, process in ipairs(redis.call('ZRANGEBYSCORE', lane.ends, '-inf', exact(now), 'LIMIT', 0, 100)) do
      redis.call('ZREM', lane.ends, process)
      redis.call('ZREM', lane.turns, process)
    end
  end

  local own = lanes[ask.lane]
  local known = redis.call('ZSCORE', own.turns, ask.process)
  local turn = known or redis.call('ZRANGE', own.turns, 0, 0, 'WITHSCORES')[2] or '0'
  local before = redis.call('ZCOUNT', own.turns, '-inf', '(' .. turn)
  local waiting = math.max(1, redis.call('ZCARD', own.turns) + (known and 0 or 1))
  if ask.lane == 'background' then
    before = before + redis.call('ZCARD', lanes.live.turns)
    if redis.call('ZSCORE', lanes.live.turns, ask.process) then before = before - 1 end
  end

  local waitMs, by = math.max(0, redis.call('PTTL', KEYS[1])), 3
  local appMs = freeIn(scopes[1], before + ask.ahead * waiting + ask.weight)
  if appMs > waitMs then waitMs, by = appMs, 1 end
  local tenantMs = scopes[2] and freeIn(scopes[2], ask.weight) or 0
  if tenantMs > waitMs then waitMs, by = tenantMs, 2 end

  if waitMs <= 0 then
    for _, scope in ipairs(scopes) do take(scope, ask.name, ask.weight) end
    if known and ask.hasMore then
      redis.call('ZINCRBY', own.turns, ask.weight, ask.process)
    elseif known then
      redis.call('ZREM', own.turns, ask.process)
      redis.call('ZREM', own.ends, ask.process)
    end
    return {0, 0}
  end

  if by ~= 2 and ask.ahead == 0 and waitMs <= ask.maxWaitMs then
    redis.call('ZADD', own.turns, 'NX', turn, ask.process)
    redis.call('ZADD', own.ends, exact(now + waitMs + ask.graceMs), ask.process)
    for _, key in ipairs({own.turns, own.ends}) do redis.call('PEXPIRE', key, math.ceil(waitMs) + 60000) end
  end
  return {ask.app.limit + by, math.ceil(waitMs)}
`;

/** Makes everybody wait, at least as long as somebody has asked for before. */
export const pauseScript = `
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
  return 0
`;
