"""The rate limiting rules, as one Lua script that Redis runs atomically and by its own clock.

The provider's rule (inferred from its answers): per account, model and kind a bucket that holds `limit` and drains
`limit / window` per second. A call adds its tokens and one request to all buckets or to none; unused tokens are removed
when it ends. A non-empty bucket drains at full speed, so waiting a little too long loses nothing.

The one key holds the state of a model of an account, packed: the buckets, the reservations (`held`), waiting calls and
kept places (`line`), participating processes (`seen`). So a run of the script is one read and one write, however many
calls it decides on; the state grows with the calls in flight, some hundreds at most.

The one argument is JSON: `ops`, and the values that are common to all of them. An op is
- `take`: reserve `tokens` for ticket `id`, or wait. Order is by `score`, then `id`; a ticket passes only if there is
  room for all before it, too, so tickets need no coordination. When the wait is longer than `patience`, the call gives
  up, and a place with its tokens is kept in the line under `claim`, for later calls of the same query. A call that asks
  for the `first` time takes its tokens off that place.
- `settle`: return the lease `id` except `used` tokens (absent: unknown) and learn from the limits that the server
  `told`.
- `leave`: cancel `id`; tokens that it was granted meanwhile are returned.

Whatever limits a server reports, a bucket is at most `longest_s` seconds over its limit, and if no call passed for that
long, the first in line does (F4).

All ops may be repeated. Tokens that one op returns are available to all others of the same run.
"""

ALLOWANCE = """
local call = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local KINDS = {rpm = 60, rpd = 86400, tpm = 60, tpd = 86400}
local TOKENS = {tpm = true, tpd = true}
local KEPT_S = 172800

local packed = redis.call('GET', KEYS[1])
local state = packed and cmsgpack.unpack(packed) or {
  at = now, known = false, share = 1, settled = 0, given = 0, reserved = 0, not_before = 0,
  level = {}, told = {}, held = {}, line = {}, seen = {},
}
local level, limit, held, line = state.level, {}, state.held, state.line
for kind in pairs(KINDS) do
  level[kind] = level[kind] or 0
  limit[kind] = state.told[kind] or call.limits[kind]
end

local function rate(kind) return limit[kind] / KINDS[kind] end
-- For a day, the margin would amount to half an hour.
local function cap(kind) return limit[kind] * (KINDS[kind] > 60 and 1 or 1 - call.margin) end
local function raise(kind, to) if limit[kind] and to > level[kind] then level[kind] = to end end

-- A server that was started again may have lost the last second, or everything since its last snapshot.
if not state.run or now - state.at > 0.5 then
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  if state.run ~= run then state.known, state.probe = false, nil end
  state.run = run
end

for kind in pairs(KINDS) do
  if limit[kind] then level[kind] = math.max(0, level[kind] - math.max(0, now - state.at) * rate(kind)) end
  if limit[kind] and call.floor and call.floor[kind] then raise(kind, call.floor[kind] * limit[kind]) end
end

for kind in pairs(KINDS) do
  if limit[kind] then level[kind] = math.min(level[kind], limit[kind] + call.longest_s * rate(kind)) end
end
state.not_before = math.min(state.not_before, now + call.longest_s)
state.granted_at = math.min(state.granted_at or now, now)

-- A bucket without a limit holds nothing: the rate at which it drains is not known.
local function add(tokens, requests)
  for kind in pairs(KINDS) do
    if limit[kind] then level[kind] = math.max(0, level[kind] + (TOKENS[kind] and tokens or requests)) end
  end
end

-- Without `used` as much is given back as calls of this model usually leave.
local function give_back(id, used)
  local lease = held[id]
  if not lease then return end
  local unused = lease.tokens - (used or lease.tokens * state.share)
  add(-unused, 0)
  state.given = state.given + math.max(0, unused)
  state.reserved = math.max(0, state.reserved - lease.tokens)
  held[id] = nil
end

for id, lease in pairs(held) do if lease.ends <= now then give_back(id) end end
for id, place in pairs(line) do if place.alive <= now then line[id] = nil end end

-- Seconds until there is room if nothing is given back, and seconds until there will be room as things usually go.
local function room_in(amount_of_tokens, rank, tokens_ahead)
  local surely, likely = 0, 0
  for kind in pairs(KINDS) do
    if limit[kind] then
      local ahead, expected, back, amount = rank, rank, 0, 1
      if TOKENS[kind] then
        ahead, expected, amount = tokens_ahead, tokens_ahead * state.share, amount_of_tokens
        back = math.min(level[kind], (1 - state.share) * state.reserved)
      end
      local missing = level[kind] + math.min(amount, cap(kind)) - cap(kind)
      if missing + ahead > 0.000001 then
        surely = math.max(surely, (missing + ahead) / rate(kind))
        likely = math.max(likely, (missing + expected - back) / rate(kind))
      end
    end
  end
  return surely, likely
end

-- The server will refuse it whatever is left; it may say so at once.
local function fits_never(tokens)
  for kind in pairs(TOKENS) do
    if limit[kind] and tokens > limit[kind] then return true end
  end
  return false
end

local function grant(op)
  line[op.id] = nil
  local tokens = fits_never(op.tokens) and 0 or op.tokens
  add(tokens, 1)
  held[op.id] = {tokens = tokens, given = state.given, at = now, ends = now + call.lease_s}
  state.reserved = state.reserved + tokens
  state.granted_at = now
  if not state.known then state.probe, state.probe_until = op.id, now + call.probe_s end
  return {granted = true}
end

local function keep_place(op, wait)
  local claim = line[op.claim] or {tokens = 0}
  -- No caller stays away for longer; one that never comes back must not hold up the others.
  local alive = now + math.min(wait, 60) + op.keep_s
  line[op.claim] = {score = op.score, tokens = claim.tokens + op.tokens, alive = alive}
end

-- `rank` others wait before it, for `tokens_ahead` tokens.
local function take(op, rank, tokens_ahead)
  local surely, likely = room_in(op.tokens, rank, tokens_ahead)
  if fits_never(op.tokens) then surely, likely = 0, 0 end
  if not state.known and state.probe and state.probe_until > now then
    surely = math.max(surely, state.probe_until - now)
    likely = math.max(likely, 0.05)
  end
  if state.not_before > now then
    surely = math.max(surely, state.not_before - now)
    likely = math.max(likely, state.not_before - now + 0.02 * rank)
  end
  if rank == 0 then surely = math.min(surely, state.granted_at + call.longest_s - now) end
  if surely <= 0 then return grant(op) end
  -- Half of those that are let go come back together: the further behind, the later, and never all at once.
  likely = math.max(likely, 0.001)
  local poll = math.min(math.max(0.7 * likely, 0.02 * (rank + 1)), surely + 0.001, 2 + 0.005 * rank)
  local wait = math.min(likely, surely)
  line[op.id].alive = now + poll + call.grace_s
  if wait > op.patience then
    line[op.id] = nil
    if op.keep_s > 0 then keep_place(op, wait) end
  end
  return {granted = false, poll = poll, wait = wait}
end

local function in_order(one, other)
  if one.score ~= other.score then return one.score < other.score end
  return one.id < other.id
end

-- All that ask now take their places before any of them is granted.
local function take_all(asking, answers)
  for _, op in pairs(asking) do
    local claim = op.first and line[op.claim]
    if claim then
      claim.tokens = claim.tokens - op.tokens
      if claim.tokens <= 0 then line[op.claim] = nil end
    end
    line[op.id] = {score = op.score, tokens = op.tokens, alive = now + 1}
  end
  local places = {}
  for id, place in pairs(line) do
    places[#places + 1] = {id = id, score = place.score, tokens = place.tokens}
  end
  table.sort(places, in_order)
  local rank, tokens_ahead = 0, 0
  for _, place in ipairs(places) do
    local op = asking[place.id]
    local answer = op and take(op, rank, tokens_ahead)
    if op then answers[op.nth] = answer end
    local gone = op and (answer.granted or (not line[op.id] and op.keep_s <= 0))
    if not gone then rank, tokens_ahead = rank + 1, tokens_ahead + place.tokens end
  end
end

local function learn_limit(kind, value)
  if value and value > 0 then
    state.told[kind] = value
    limit[kind] = value
    level[kind] = math.min(level[kind], value)
  end
end

-- Since the lease began the server's level fell by what drained and by what was given back, and by nothing else.
local function learn_level(kind, most, left, lease)
  if not (most and left and limit[kind]) then return end
  local used = most - left
  if state.known and not lease then return end
  if state.known then
    used = used - (now - lease.at) * rate(kind)
    if TOKENS[kind] then used = used - (state.given - lease.given) end
  end
  raise(kind, used)
end

local function settle(op)
  local told = op.told
  local lease = held[op.id]
  learn_limit('tpm', told.limit_tokens)
  learn_limit('rpd', told.limit_requests)
  learn_level('tpm', told.limit_tokens, told.remaining_tokens, lease)
  learn_level('rpd', told.limit_requests, told.remaining_requests, lease)
  if lease and op.used and op.used > 0 and lease.tokens > 0 then
    state.settled = state.settled + 1
    local usual = math.min(1, op.used / lease.tokens)
    state.share = state.share + (usual - state.share) * math.max(0.05, 1 / state.settled)
  end
  give_back(op.id, op.used)
  if told.refused then
    if lease then add(0, -1) end
    local kind = told.kind or 'tpm'
    learn_limit(kind, told.kind_limit)
    if limit[kind] then raise(kind, told.kind_used or limit[kind]) end
    state.not_before = math.max(state.not_before, now + told.refused)
  end
  if told.answered then state.known = true end
  if state.probe == op.id then state.probe = nil end
end

local function leave(op)
  line[op.id] = nil
  if held[op.id] then
    give_back(op.id, 0)
    add(0, -1)
    if state.probe == op.id then state.probe = nil end
  end
end

local answers, asking = {}, {}
for nth, op in ipairs(call.ops) do
  op.nth = nth
  answers[nth] = {granted = op.op == 'take'}
  if op.op == 'settle' then settle(op) end
  if op.op == 'leave' then leave(op) end
  if op.op == 'take' and not held[op.id] then asking[op.id] = op end
end
if next(asking) then
  state.seen[call.process] = now + call.seen_s
  take_all(asking, answers)
end

local sharers, waiting, full = 0, 0, {}
for process, until_ in pairs(state.seen) do
  if until_ <= now then state.seen[process] = nil else sharers = sharers + 1 end
end
for _ in pairs(line) do waiting = waiting + 1 end
for kind in pairs(limit) do full[kind] = level[kind] / limit[kind] end
state.at = now
redis.call('SET', KEYS[1], cmsgpack.pack(state), 'EX', KEPT_S)
return cjson.encode({
  answers = answers, full = full, limits = limit, sharers = sharers, waiting = waiting,
  known = state.known, refusing = state.not_before > now, now = string.format('%.6f', now),
})
"""
