-- The first start of claude-postgres runs this as the administrator: one role and database for
-- mneme, one role and two databases for Temporal. Neither can connect to what is the other's.
\set ON_ERROR_STOP on
\getenv mneme_password MNEME_DB_PASSWORD
\getenv temporal_password TEMPORAL_DB_PASSWORD
create role mneme login password :'mneme_password';
create role temporal login password :'temporal_password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect on database temporal, temporal_visibility from public;
create database mneme owner mneme;
revoke connect on database mneme from public;
