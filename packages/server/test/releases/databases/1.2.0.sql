SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE TYPE public.ban_rules AS (
	grace_seconds bigint,
	tolerated_refusals bigint,
	first_seconds bigint,
	factor double precision,
	maximum_seconds bigint,
	forget_after_seconds bigint
);
CREATE FUNCTION public.ban_length(bans bigint, rules public.ban_rules) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  IF (bans - 1) * ln(rules.factor) > 600 THEN RETURN rules.maximum_seconds * 1000; END IF;
  RETURN least(rules.first_seconds * power(rules.factor, bans - 1), rules.maximum_seconds) * 1000;
END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.counts (
    caller text NOT NULL,
    minute bigint DEFAULT 0 NOT NULL,
    minute_used bigint DEFAULT 0 NOT NULL,
    day bigint DEFAULT 0 NOT NULL,
    day_used bigint DEFAULT 0 NOT NULL,
    bans bigint DEFAULT 0 NOT NULL,
    banned_until bigint DEFAULT 0 NOT NULL,
    refused_window bigint DEFAULT 0 NOT NULL,
    first_refused_at bigint DEFAULT 0 NOT NULL,
    refusals bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE FUNCTION public.catch_up(INOUT usage public.counts, known public.counts, alone_minute bigint, alone_day bigint) RETURNS public.counts
    LANGUAGE plpgsql IMMUTABLE
    AS $$
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
CREATE FUNCTION public.count_requests(known public.counts, requests bigint, per_minute bigint, per_day bigint, rules public.ban_rules, INOUT ahead bigint, unused bigint, unused_minute bigint, INOUT counted_at bigint, OUT outcome text, OUT ban_started boolean, OUT usage public.counts) RETURNS SETOF record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
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
CREATE FUNCTION public.enter_windows(INOUT usage public.counts, at bigint) RETURNS public.counts
    LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
  minute bigint := at / 60000;
  day bigint := at / 86400000;
BEGIN
  IF minute > usage.minute THEN usage.minute_used := 0; END IF;
  IF minute > usage.minute OR usage.minute - minute > 1 THEN usage.minute := minute; END IF;
  IF day > usage.day THEN usage.day_used := 0; END IF;
  IF day > usage.day OR usage.day - day > 1 THEN usage.day := day; END IF;
END $$;
CREATE FUNCTION public.refuse(INOUT usage public.counts, refused_window bigint, at bigint, rules public.ban_rules) RETURNS public.counts
    LANGUAGE plpgsql IMMUTABLE
    AS $$
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
CREATE FUNCTION public.tighter_reset(usage public.counts, per_minute bigint, per_day bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  IF greatest(0, per_day - usage.day_used) <= greatest(0, per_minute - usage.minute_used) THEN
    RETURN (usage.day + 1) * 86400;
  END IF;
  RETURN (usage.minute + 1) * 60;
END $$;
CREATE TABLE public.idempotency_records (
    key_id text NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint text NOT NULL,
    status bigint NOT NULL,
    headers text NOT NULL,
    body text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.jobs (
    name text NOT NULL,
    due_at bigint NOT NULL,
    lease text
);
CREATE VIEW public.kept_replies AS
 SELECT idempotency_records.key_id,
    idempotency_records.idempotency_key,
    idempotency_records.fingerprint,
    idempotency_records.status,
    idempotency_records.headers,
    idempotency_records.body,
    idempotency_records.created_at AS kept_at
   FROM public.idempotency_records;
CREATE TABLE public.key_activity (
    key_id text NOT NULL,
    operation text NOT NULL,
    calls bigint NOT NULL,
    last_called_at bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.key_audit (
    id bigint NOT NULL,
    key_id text NOT NULL,
    created_at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    details text NOT NULL
);
ALTER TABLE public.key_audit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.key_audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.key_days (
    key_id text NOT NULL,
    day bigint NOT NULL,
    calls bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.keys (
    id text NOT NULL,
    plan text NOT NULL,
    name text,
    per_minute bigint,
    per_day bigint,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    "position" bigint NOT NULL,
    scope text DEFAULT 'write'::text NOT NULL,
    unbanned_at bigint
);
ALTER TABLE public.keys ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.keys_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.migrations (
    number bigint NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at bigint NOT NULL,
    additive boolean DEFAULT false NOT NULL
);
CREATE TABLE public.orders (
    id bigint NOT NULL,
    key_id text NOT NULL,
    pet_id bigint NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT orders_id_check CHECK (((id >= 1) AND (id <= '9007199254740991'::bigint)))
);
ALTER TABLE public.orders ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.orders_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 9007199254740991
    CACHE 1
);
CREATE TABLE public.pets (
    id bigint NOT NULL,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text,
    CONSTRAINT pets_category_id_check CHECK (((category_id >= '-9007199254740991'::bigint) AND (category_id <= '9007199254740991'::bigint))),
    CONSTRAINT pets_id_check CHECK (((id >= 1) AND (id <= '9007199254740991'::bigint)))
);
ALTER TABLE public.pets ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.pets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 9007199254740991
    CACHE 1
);
CREATE TABLE public.secrets (
    hash bytea NOT NULL,
    key_id text NOT NULL,
    hint text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    "position" bigint NOT NULL
);
ALTER TABLE public.secrets ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.secrets_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.settings (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.usage (
    key_id text NOT NULL,
    minute bigint NOT NULL,
    minute_used bigint NOT NULL,
    day bigint NOT NULL,
    day_used bigint NOT NULL,
    bans bigint NOT NULL,
    banned_until bigint NOT NULL
)
WITH (fillfactor='50');
INSERT INTO public.counts VALUES ('key:key_i131t4dlgkp0gv83', 29931682, 32, 20785, 32, 0, 0, 0, 0, 0);
INSERT INTO public.counts VALUES ('key:key_tcghm2gnbqjgu0hd', 29931682, 107, 20785, 107, 1, 1795900987614, 0, 1795900925015, 11);
INSERT INTO public.idempotency_records VALUES ('key_i131t4dlgkp0gv83', 'kept-over-releases', 'qPEx-i5JJebFrxYoYDFrC-Bbw2QGNu5T1p7FL7X3A2M', 201, '{"Location":"http://127.0.0.1:39599/v1/pets/25"}', '{"id":25,"name":"Mia","categoryId":7}', 1795900924589);
INSERT INTO public.keys OVERRIDING SYSTEM VALUE VALUES ('key_i131t4dlgkp0gv83', 'business', 'Ann', NULL, NULL, 1795900921937, NULL, NULL, 1, 'write', NULL);
INSERT INTO public.keys OVERRIDING SYSTEM VALUE VALUES ('key_tcghm2gnbqjgu0hd', 'free', NULL, NULL, NULL, 1795900922450, NULL, NULL, 2, 'write', NULL);
INSERT INTO public.keys OVERRIDING SYSTEM VALUE VALUES ('key_9lrmmt1i96vq43se', 'pro', NULL, NULL, NULL, 1795900923029, NULL, 1795900923653, 3, 'write', NULL);
INSERT INTO public.migrations VALUES (1, 'service/0001-start.sql', '5887d49c018a15a34c566d4d4224fd607c8bf1612d98e5cc7317e13398e98c4d', 1795900921200, false);
INSERT INTO public.migrations VALUES (2, 'service/0002-counts.sql', '77be06d9bdc0794124f10541f532f202536c5bf08845bbb06142b253330b6111', 1795900921200, false);
INSERT INTO public.migrations VALUES (3, 'service/0003-idempotency-records.sql', '5175d42582b02d8d8f92017b4b37c5abeebc48623b6aa85e7e8d3153a317ed84', 1795900921200, false);
INSERT INTO public.migrations VALUES (4, 'service/0005-keys.sql', 'dbf3f074decde4467366a3388be815bb13b5afac089a44605b9237a11ceb28b8', 1795900921200, false);
INSERT INTO public.migrations VALUES (5, 'service/0006-settings.sql', '8ffe0987a439cfb9bcfab276cb9a79698eca3ce89c3b00e7abd6d38badd04353', 1795900921200, false);
INSERT INTO public.migrations VALUES (6, 'service/0007-operating-keys.sql', '4bf62b986b102e53f5d1afd85b01bea336f4eb48b96a319ee7b52f3fa591a973', 1795900921200, true);
INSERT INTO public.migrations VALUES (7, 'service/0008-count-requests.sql', 'b58e790c32fd2bde62cc12bf7184f75fe2ddb2d051ee2c325023d3c5410c34f4', 1795900921200, true);
INSERT INTO public.migrations VALUES (8, 'service/0009-jobs.sql', '5c5ce5569d8cd1ae7ddc601881ea9dc7391ba404a9f7a6e096bab630ef5af6aa', 1795900921200, true);
INSERT INTO public.migrations VALUES (9, 'animal-store/0001-start.sql', '59672ea5d7138fe9a0001703816ccca8bb7901f1070200c62a844e64559cd8fe', 1795900921200, false);
INSERT INTO public.migrations VALUES (10, 'animal-store/0004-deleted-pets.sql', 'e09ccb02a20b07d0ef6ccb596d8651161d1e8b26a6e4d326e56466323a3c4001', 1795900921200, false);
INSERT INTO public.migrations VALUES (11, 'animal-store/0008-orders-placed-by-time.sql', '9449840d87c9334009777af1abc3b4fac84d19f64ce7888671861bcb7b7f6133', 1795900921200, false);
INSERT INTO public.orders VALUES (1, 'key_i131t4dlgkp0gv83', 1, 'placed', 1795900924621);
INSERT INTO public.orders VALUES (2, 'key_i131t4dlgkp0gv83', 5, 'placed', 1795900924640);
INSERT INTO public.orders VALUES (3, 'key_i131t4dlgkp0gv83', 9, 'placed', 1795900924647);
INSERT INTO public.pets VALUES (2, 'Rex 1', 1, 'pending');
INSERT INTO public.pets VALUES (3, 'Rex 2', 2, 'sold');
INSERT INTO public.pets VALUES (4, 'Rex 3', 0, NULL);
INSERT INTO public.pets VALUES (6, 'Rex 5', 2, 'pending');
INSERT INTO public.pets VALUES (7, 'Rex 6', 0, 'sold');
INSERT INTO public.pets VALUES (8, 'Rex 7', 1, NULL);
INSERT INTO public.pets VALUES (10, 'Rex 9', 0, 'pending');
INSERT INTO public.pets VALUES (11, 'Rex 10', 1, 'sold');
INSERT INTO public.pets VALUES (12, 'Rex 11', 2, NULL);
INSERT INTO public.pets VALUES (13, 'Rex 12', 0, 'available');
INSERT INTO public.pets VALUES (14, 'Rex 13', 1, 'pending');
INSERT INTO public.pets VALUES (15, 'Rex 14', 2, 'sold');
INSERT INTO public.pets VALUES (16, 'Rex 15', 0, NULL);
INSERT INTO public.pets VALUES (17, 'Rex 16', 1, 'available');
INSERT INTO public.pets VALUES (18, 'Rex 17', 2, 'pending');
INSERT INTO public.pets VALUES (19, 'Rex 18', 0, 'sold');
INSERT INTO public.pets VALUES (20, 'Rex 19', 1, NULL);
INSERT INTO public.pets VALUES (21, 'Rex 20', 2, 'available');
INSERT INTO public.pets VALUES (22, 'Rex 21', 0, 'pending');
INSERT INTO public.pets VALUES (23, 'Rex 22', 1, 'sold');
INSERT INTO public.pets VALUES (24, 'Rex 23', 2, NULL);
INSERT INTO public.pets VALUES (25, 'Mia', 7, NULL);
INSERT INTO public.pets VALUES (1, 'Rex 0', 0, 'pending');
INSERT INTO public.pets VALUES (5, 'Rex 4', 1, 'pending');
INSERT INTO public.pets VALUES (9, 'Rex 8', 2, 'pending');
INSERT INTO public.secrets OVERRIDING SYSTEM VALUE VALUES ('\x75fa3562db174daa44966d1b664bc5bd2c8055c13da9ad8ca54734acda59fafd', 'key_i131t4dlgkp0gv83', 'as_live_…VfHq', 1795900921937, NULL, 1);
INSERT INTO public.secrets OVERRIDING SYSTEM VALUE VALUES ('\x9747942085d51f1e9bf643085a0785725c851d31f803927ff8787191f78c9a52', 'key_9lrmmt1i96vq43se', 'as_live_…ewk7', 1795900923029, NULL, 3);
INSERT INTO public.secrets OVERRIDING SYSTEM VALUE VALUES ('\xd71bf5bb987bc6d3c47a96eb1ee8c15f94f2caaf6eff5d50c4e89e0a67a99808', 'key_tcghm2gnbqjgu0hd', 'as_live_…dcy3', 1795900922450, 1803676924189, 2);
INSERT INTO public.secrets OVERRIDING SYSTEM VALUE VALUES ('\x158bf953286c2ed8c7bff04afe40cba5ef0e393117986d17a35d6b94666b0ca1', 'key_tcghm2gnbqjgu0hd', 'as_live_…tPV2', 1795900924189, NULL, 4);
INSERT INTO public.settings VALUES ('mode', 'live');
INSERT INTO public.usage VALUES ('key_tcghm2gnbqjgu0hd', 29931682, 107, 20785, 107, 1, 1795900987614);
SELECT pg_catalog.setval('public.key_audit_id_seq', 1, false);
SELECT pg_catalog.setval('public.keys_position_seq', 3, true);
SELECT pg_catalog.setval('public.orders_id_seq', 3, true);
SELECT pg_catalog.setval('public.pets_id_seq', 25, true);
SELECT pg_catalog.setval('public.secrets_position_seq', 4, true);
ALTER TABLE ONLY public.counts
    ADD CONSTRAINT counts_pkey PRIMARY KEY (caller);
ALTER TABLE ONLY public.idempotency_records
    ADD CONSTRAINT idempotency_records_pkey PRIMARY KEY (key_id, idempotency_key);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.key_activity
    ADD CONSTRAINT key_activity_pkey PRIMARY KEY (key_id, operation);
ALTER TABLE ONLY public.key_audit
    ADD CONSTRAINT key_audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.key_days
    ADD CONSTRAINT key_days_pkey PRIMARY KEY (key_id, day);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pets
    ADD CONSTRAINT pets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (key_id);
CREATE INDEX counts_by_day ON public.counts USING btree (day);
CREATE INDEX idempotency_records_by_time ON public.idempotency_records USING btree (created_at);
CREATE INDEX key_audit_by_key ON public.key_audit USING btree (key_id, id);
CREATE INDEX key_days_by_day ON public.key_days USING btree (day);
CREATE INDEX orders_by_key ON public.orders USING btree (key_id, id);
CREATE INDEX orders_by_key_and_status ON public.orders USING btree (key_id, status, id);
CREATE UNIQUE INDEX orders_placed_by_pet ON public.orders USING btree (pet_id) WHERE (status = 'placed'::text);
CREATE INDEX orders_placed_by_time ON public.orders USING btree (created_at) WHERE (status = 'placed'::text);
CREATE INDEX pets_by_category ON public.pets USING btree (category_id, id);
CREATE INDEX pets_by_category_and_status ON public.pets USING btree (category_id, status, id);
CREATE INDEX pets_by_status ON public.pets USING btree (status, id);
CREATE INDEX secrets_by_key ON public.secrets USING btree (key_id);
ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.keys(id);
