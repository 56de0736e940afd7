module oldfile

go 1.26

require (
	go.temporal.io/api v1.62.2
	go.temporal.io/sdk v1.38.0
	go.temporal.io/server v1.30.4
)
