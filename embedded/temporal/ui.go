package temporal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/api"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/cors"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
)

// webUI is the Temporal UI on a listener of our own. The module's ready-made server would
// print to stdout, end the process when its port is taken, and ask the network for newer
// releases; so only its parts are used.
type webUI struct {
	addr   string
	server *http.Server
	conn   *grpc.ClientConn
	served chan error
}

func startUI(opts Options, frontend string) (_ *webUI, err error) {
	listener, err := net.Listen("tcp", hostPort(opts.UIPort))
	if isAddrInUse(err) {
		listener, err = net.Listen("tcp", hostPort(0))
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the UI: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, listener.Close())
		}
	}()

	const biggestAnswer = 64 << 20 // a long workflow's history comes in one piece
	conn, err := grpc.NewClient("passthrough:///"+frontend,
		secured{opts.TLS}.caller(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(biggestAnswer)))
	if err != nil {
		return nil, fmt.Errorf("connect the UI to %s: %w", frontend, err)
	}
	handler, err := uiHandler(opts, frontend, conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}

	if opts.UICodec != nil {
		handler = withCodec(opts.UICodec, handler)
	}
	if opts.UIGuard != nil {
		handler = opts.UIGuard(handler)
	}

	w := &webUI{
		addr: listener.Addr().String(),
		conn: conn,
		server: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: 10 * time.Second,
			ErrorLog:          slog.NewLogLogger(opts.Logger.Handler(), slog.LevelWarn),
		},
		served: make(chan error, 1),
	}
	go func() { w.served <- w.server.Serve(listener) }()
	return w, nil
}

// stop waits a moment for answers under way, then closes what is left: a browser tab may
// hold a connection for ever.
func (w *webUI) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond) // Stop takes no context
	defer cancel()
	if err := w.server.Shutdown(ctx); err != nil {
		if err := w.server.Close(); err != nil {
			return errors.Join(fmt.Errorf("stop the UI: %w", err), w.conn.Close())
		}
	}
	err := <-w.served
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, w.conn.Close())
}

func uiHandler(opts Options, frontend string, conn *grpc.ClientConn) (http.Handler, error) {
	provider, err := config.NewConfigProviderWithRefresh(uiConfig(opts, frontend))
	if err != nil {
		return nil, fmt.Errorf("configure the UI: %w", err)
	}
	assets, err := ui.Assets()
	if err != nil {
		return nil, fmt.Errorf("open the UI's files: %w", err)
	}
	local, err := fs.Sub(assets, "local")
	if err != nil {
		return nil, fmt.Errorf("open the UI's files: %w", err)
	}

	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Logger.SetOutput(io.Discard)
	e.StdLogger = stdlog.New(io.Discard, "", 0)
	useMiddleware(e, provider)
	setAPI(e, opts, frontend, provider, conn)
	route.SetHealthRoute(e)
	if err := route.SetUIRoutes(e, "", local, provider); err != nil {
		return nil, fmt.Errorf("route the UI: %w", err)
	}
	route.SetRenderRoute(e, "/")
	return e, nil
}

func uiConfig(opts Options, frontend string) *config.Config {
	return &config.Config{
		TemporalGRPCAddress: frontend,
		Host:                loopback,
		EnableUI:            true,
		DefaultNamespace:    opts.Namespace,
		CORS:                config.CORS{CookieInsecure: true}, // loopback has no TLS
		HideLogs:            true,
		DisableNewsFetch:    true, // calls out otherwise
	}
}

// codecPath is where the web interface has payloads opened.
const codecPath = "/codec"

// withCodec has a codec answer for payloads to be opened, and for nothing else.
func withCodec(codec, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == codecPath+"/decode":
			codec.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, codecPath+"/"):
			http.NotFound(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// settings answers what the interface's pages ask first. They want the codec's whole URL,
// which depends on the name that the browser knows us by.
func settings(opts Options, frontend string) echo.HandlerFunc {
	return func(c echo.Context) error {
		cfg := uiConfig(opts, frontend)
		if opts.UICodec != nil {
			cfg.Codec = config.Codec{Endpoint: "http://" + c.Request().Host + codecPath, IncludeCredentials: true}
		}
		provider, err := config.NewConfigProviderWithRefresh(cfg)
		if err != nil {
			return fmt.Errorf("configure the UI: %w", err)
		}
		return api.GetSettings(provider)(c)
	}
}

func useMiddleware(e *echo.Echo, provider *config.ConfigProviderWithRefresh) {
	const cookieSecure = false
	e.Use(loopbackHostOnly)
	e.Use(middleware.Recover())
	e.Use(middleware.Gzip())
	e.Use(cors.CORSMiddleware(cors.CORSConfig{ConfigProvider: provider}))
	e.Use(middleware.Secure())
	e.Use(csrf.EnsureTokenCookie(cookieSecure))
	e.Use(middleware.CSRFWithConfig(csrf.MiddlewareConfig(provider, cookieSecure)))
}

// loopbackHostOnly refuses a request that names another host: a web page could otherwise
// read the UI through a domain that resolves to 127.0.0.1.
func loopbackHostOnly(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		host := c.Request().Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if host != "localhost" && host != loopback && host != "[::1]" && host != "::1" && !strings.HasSuffix(host, ".localhost") {
			return echo.NewHTTPError(http.StatusForbidden, "only reachable as localhost")
		}
		return next(c)
	}
}

// setAPI routes the UI's calls to the frontend. The one route left out of the module's own
// list is the one that asks the network for newer releases.
func setAPI(e *echo.Echo, opts Options, frontend string, provider *config.ConfigProviderWithRefresh, conn *grpc.ClientConn) {
	forward := []api.Middleware{headers.WithForwardHeaders([]string{"Caller-Type"})}
	group := e.Group("/api/v1")
	group.GET("/settings", settings(opts, frontend))
	group.GET("/ui-extensions", api.GetUIExtensions(provider, api.TemporalAccessCheck(conn, forward)))
	group.GET("/releases", func(c echo.Context) error { return c.JSON(http.StatusOK, struct{}{}) })
	group.GET(api.WorkflowRawHistoryUrl, api.WorkflowRawHistoryHandler(workflowservice.NewWorkflowServiceClient(conn)))
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	group.Match(methods, "/*", api.TemporalAPIHandler(provider, forward, conn))
}
