BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'gradebook','first_tables','2026-01-01 00:00:00.000000+00:00');
CREATE TABLE "batch" (
   "id" INTEGER PRIMARY KEY,
   "seed" INTEGER,
   "created" TEXT
);
INSERT INTO "batch" VALUES(1,7,'2026-01-01T00:00:00+00:00');
CREATE TABLE "earlier_grade" (
   "submission" TEXT,
   "stem" TEXT,
   "symbol" TEXT,
   "status" TEXT,
   "points" REAL,
   "max_points" REAL,
   "check" TEXT,
   "misconception" TEXT,
   "seed" INTEGER,
   "seconds" REAL,
   "said" TEXT,
   "card" TEXT,
   "notes" TEXT,
   "with_own_parts" TEXT,
   "shape" TEXT,
   "protection" TEXT,
   "passed" INTEGER,
   "checks" INTEGER,
   "basis" TEXT,
   "replaced" TEXT
);
CREATE TABLE "grade" (
   "submission" TEXT,
   "stem" TEXT,
   "symbol" TEXT,
   "status" TEXT,
   "points" REAL,
   "max_points" REAL,
   "check" TEXT,
   "misconception" TEXT,
   "seed" INTEGER,
   "seconds" REAL,
   "said" TEXT,
   "card" TEXT,
   "notes" TEXT,
   "with_own_parts" TEXT,
   "shape" TEXT,
   "protection" TEXT,
   "passed" INTEGER,
   "checks" INTEGER,
   "basis" TEXT,
   PRIMARY KEY ("submission", "stem", "symbol")
);
INSERT INTO "grade" VALUES('ada','ch04_attention','softmax','fail',0.0,1.0,'sums to 1','',0,0.0,'','','[]',NULL,'','',0,0,'1');
CREATE TABLE "submission" (
   "name" TEXT PRIMARY KEY,
   "submitted" REAL,
   "graded" TEXT,
   "seconds" REAL,
   "protection" TEXT,
   "problems" TEXT,
   "late" INTEGER,
   "people" TEXT
);
INSERT INTO "grade" VALUES('ada','ch05_mlp','MLP','missing',0.0,1.0,'','',0,0.0,'','','[]',NULL,'','',0,0,'1');
INSERT INTO "submission" VALUES('ada',7.5,'2026-01-01T00:00:00+00:00',0.0,'','[]',1,'[]');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
COMMIT;
