! SPDX-License-Identifier: Apache-2.0
!
! The tracing runtime for Fortran (2008): what spanloom/trace.h is for C; that header says what each does.  Modules are of
! the compiler that made them, so this is source; it comes first on the line:
!
!   gfortran $(spanloom flags fortran) prog.f90 -o prog
!
!   use spanloom_trace
!   type(sl_site), save :: here            ! one for each place; keeps what was found the first time
!   call sl_begin(here, 'solve')
!   call sl_arg('unknowns', n)
!   call sl_end(here)
!
! sl_begin('solve') and sl_end('solve') do without the variable, and look the name up each time (some 30 ns).
module spanloom_trace
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: sl_site, sl_begin, sl_end, sl_arg, sl_instant, sl_counter, sl_async_begin, sl_async_instant, sl_async_end
  public :: sl_flow_out, sl_flow_step, sl_flow_in, sl_new_id, sl_thread_name, sl_trace_enable, sl_traceparent
  public :: sl_trace_finish

  type :: sl_site
    private
    type(c_ptr) :: p = c_null_ptr
  end type

  interface sl_begin
    module procedure begin_at, begin_named
  end interface
  interface sl_end
    module procedure end_at, end_named
  end interface
  interface sl_arg
    module procedure arg_int, arg_long, arg_real, arg_double, arg_text
  end interface

  interface
    function c_site_of(name, category) bind(c, name='sl_site_of') result(site)
      import :: c_ptr, c_char
      character(kind=c_char), intent(in) :: name(*), category(*)
      type(c_ptr) :: site
    end function
    subroutine c_begin(site) bind(c, name='sl_span_begin')
      import :: c_ptr
      type(c_ptr), value :: site
    end subroutine
    subroutine c_end(site) bind(c, name='sl_span_end')
      import :: c_ptr
      type(c_ptr), value :: site
    end subroutine
    subroutine c_arg_int(key, x) bind(c, name='sl_arg_int')
      import :: c_char, c_int64_t
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: x
    end subroutine
    subroutine c_arg_double(key, x) bind(c, name='sl_arg_double')
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: key(*)
      real(c_double), value :: x
    end subroutine
    subroutine c_arg_string(key, x) bind(c, name='sl_arg_string')
      import :: c_char
      character(kind=c_char), intent(in) :: key(*), x(*)
    end subroutine
    subroutine c_instant(site) bind(c, name='sl_instant')
      import :: c_ptr
      type(c_ptr), value :: site
    end subroutine
    subroutine c_counter(site, x) bind(c, name='sl_counter')
      import :: c_ptr, c_double
      type(c_ptr), value :: site
      real(c_double), value :: x
    end subroutine
    subroutine c_async_begin(site, id) bind(c, name='sl_async_begin')
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: site
      integer(c_int64_t), value :: id
    end subroutine
    subroutine c_async_instant(site, id) bind(c, name='sl_async_instant')
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: site
      integer(c_int64_t), value :: id
    end subroutine
    subroutine c_async_end(site, id) bind(c, name='sl_async_end')
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: site
      integer(c_int64_t), value :: id
    end subroutine
    subroutine c_flow(site, id, where) bind(c, name='sl_flow')
      import :: c_ptr, c_int64_t, c_int
      type(c_ptr), value :: site
      integer(c_int64_t), value :: id
      integer(c_int), value :: where
    end subroutine
    function c_new_id() bind(c, name='sl_new_id') result(id)
      import :: c_int64_t
      integer(c_int64_t) :: id
    end function
    subroutine c_thread_name(name) bind(c, name='sl_thread_name')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    function c_enable(on) bind(c, name='sl_trace_enable') result(was)
      import :: c_int
      integer(c_int), value :: on
      integer(c_int) :: was
    end function
    subroutine sl_trace_finish() bind(c, name='sl_trace_finish')
    end subroutine
    subroutine c_traceparent(to) bind(c, name='sl_traceparent')
      import :: c_char
      character(kind=c_char), intent(out) :: to(56)
    end subroutine
  end interface

contains

  function site_of(name) result(p)
    character(*), intent(in) :: name
    type(c_ptr) :: p
    p = c_site_of(trim(name)//c_null_char, 'fortran'//c_null_char)
  end function

  subroutine begin_at(site, name)
    type(sl_site), intent(inout) :: site
    character(*), intent(in) :: name
    if (.not. c_associated(site%p)) site%p = site_of(name)
    call c_begin(site%p)
  end subroutine

  subroutine end_at(site)
    type(sl_site), intent(in) :: site
    if (c_associated(site%p)) call c_end(site%p)
  end subroutine

  subroutine begin_named(name)
    character(*), intent(in) :: name
    call c_begin(site_of(name))
  end subroutine

  subroutine end_named(name)
    character(*), intent(in) :: name
    call c_end(site_of(name))
  end subroutine

  subroutine arg_int(key, x)
    character(*), intent(in) :: key
    integer(c_int32_t), intent(in) :: x
    call c_arg_int(trim(key)//c_null_char, int(x, c_int64_t))
  end subroutine

  subroutine arg_long(key, x)
    character(*), intent(in) :: key
    integer(c_int64_t), intent(in) :: x
    call c_arg_int(trim(key)//c_null_char, x)
  end subroutine

  subroutine arg_real(key, x)
    character(*), intent(in) :: key
    real(c_float), intent(in) :: x
    call c_arg_double(trim(key)//c_null_char, real(x, c_double))
  end subroutine

  subroutine arg_double(key, x)
    character(*), intent(in) :: key
    real(c_double), intent(in) :: x
    call c_arg_double(trim(key)//c_null_char, x)
  end subroutine

  subroutine arg_text(key, x)
    character(*), intent(in) :: key, x
    call c_arg_string(trim(key)//c_null_char, trim(x)//c_null_char)
  end subroutine

  subroutine sl_instant(name)
    character(*), intent(in) :: name
    call c_instant(site_of(name))
  end subroutine

  subroutine sl_counter(name, x)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: x
    call c_counter(site_of(name), x)
  end subroutine

  subroutine sl_async_begin(name, id)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: id
    call c_async_begin(site_of(name), id)
  end subroutine

  subroutine sl_async_instant(name, id)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: id
    call c_async_instant(site_of(name), id)
  end subroutine

  subroutine sl_async_end(name, id)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: id
    call c_async_end(site_of(name), id)
  end subroutine

  subroutine sl_flow_out(name, id)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: id
    call c_flow(site_of(name), id, 0_c_int)
  end subroutine

  subroutine sl_flow_step(name, id)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: id
    call c_flow(site_of(name), id, 1_c_int)
  end subroutine

  subroutine sl_flow_in(name, id)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: id
    call c_flow(site_of(name), id, 2_c_int)
  end subroutine

  function sl_new_id() result(id)
    integer(c_int64_t) :: id
    id = c_new_id()
  end function

  subroutine sl_thread_name(name)
    character(*), intent(in) :: name
    call c_thread_name(trim(name)//c_null_char)
  end subroutine

  ! Returns what it was.
  function sl_trace_enable(on) result(was)
    logical, intent(in) :: on
    logical :: was
    was = c_enable(merge(1_c_int, 0_c_int, on)) /= 0
  end function

  ! Blank where nothing is recorded.
  function sl_traceparent() result(text)
    character(55) :: text
    character(kind=c_char) :: to(56)
    integer :: i
    call c_traceparent(to)
    text = ''
    do i = 1, 55
      if (to(i) == c_null_char) exit
      text(i:i) = to(i)
    end do
  end function
end module spanloom_trace
